/** Requests per second, one number a minute. */
export interface Line {
  readonly name: string
  readonly colour: string
  readonly rates: readonly number[]
}

export interface Panel {
  readonly title: string
  readonly caption: string
  /** The last is drawn on top. */
  readonly lines: readonly Line[]
}

export interface Picture {
  readonly title: string
  /** For those who cannot see it. */
  readonly description: string
  /** Two per row, all with the same scales. */
  readonly panels: readonly Panel[]
  /** Levels that go through all panels, from the lowest up. */
  readonly levels: readonly { readonly name: string; readonly rate: number }[]
  /** The first and the last minute of the outage, counted from the first rate. */
  readonly outage: readonly [from: number, to: number]
}

const WIDTH = 960
const PLOT = { width: 394, height: 190 } as const
/** Of the first plot, and from there to the next one. */
const CORNER = { x: 50, y: 118 } as const
const PITCH = { x: PLOT.width + 64, y: PLOT.height + 82 } as const

const INK = '#1f2933'
const FAINT = '#d5dae0'
const QUIET = '#5b6772'

const attributes = (of: Readonly<Record<string, string | number>>): string =>
  Object.entries(of)
    .map(([name, value]) => ` ${name}="${value}"`)
    .join('')
const shape = (name: string, of: Readonly<Record<string, string | number>>): string =>
  `<${name}${attributes(of)}/>`
const text = (content: string, of: Readonly<Record<string, string | number>>): string =>
  `<text${attributes(of)}>${content.replaceAll('&', '&amp;').replaceAll('<', '&lt;')}</text>`
const fixed = (n: number): number => Number(n.toFixed(1))

/** Where minutes and rates are in a plot: minutes side by side, rates by their logarithm. */
interface Scales {
  readonly x: (minute: number) => number
  readonly y: (rate: number) => number
  readonly minutes: number
  readonly powers: readonly number[]
}

function scalesOf({ panels, levels }: Picture): Scales {
  const rates = panels.flatMap(({ lines }) => lines.flatMap((line) => line.rates))
  const [low, high] = [Math.min(levels[0]?.rate ?? 1, ...rates) / 1.7, Math.max(...rates) * 1.9]
  const minutes = panels[0]?.lines[0]?.rates.length ?? 0
  const height = Math.log(high / low)
  const first = Math.ceil(Math.log10(low))
  return {
    x: (minute) => fixed((minute / minutes) * PLOT.width),
    y: (rate) => fixed(PLOT.height * (1 - Math.log(Math.max(rate, low) / low) / height)),
    minutes,
    powers: Array.from({ length: Math.floor(Math.log10(high)) - first + 1 }, (_, nth) => 10 ** (first + nth)),
  }
}

/** The points of a line, at the middle of their minutes. */
const pathOf = ({ rates }: Line, { x, y }: Scales): string =>
  `M${rates.map((rate, minute) => `${x(minute + 0.5)} ${y(rate)}`).join('L')}`

const rateAxis = ({ y, powers }: Scales): readonly string[] =>
  powers.map((rate) => text(String(rate), { x: -8, y: y(rate) + 4, 'text-anchor': 'end', fill: QUIET }))

function timeAxis({ x, minutes }: Scales, [, back]: Picture['outage']): readonly string[] {
  const first = -Math.floor(back / 60)
  const hours = Array.from({ length: Math.floor((minutes - back) / 60) - first + 1 }, (_, nth) => first + nth)
  return hours.map((hour) =>
    text(hour === 0 ? 'back' : `${hour < 0 ? '−' : '+'}${Math.abs(hour)} h`, {
      x: x(back + 60 * hour),
      y: PLOT.height + 18,
      'text-anchor': 'middle',
      fill: QUIET,
    }),
  )
}

function plot(panel: Panel, picture: Picture, scales: Scales): readonly string[] {
  const { x, y, powers } = scales
  const [from, to] = picture.outage
  const { width, height } = PLOT
  return [
    text(panel.title, { y: -27, 'font-size': 14, 'font-weight': 600 }),
    text(panel.caption, { y: -9, fill: QUIET }),
    shape('rect', { x: x(from), width: fixed(x(to) - x(from)), height, fill: '#f3e3df' }),
    text('down', { x: x(from) + 6, y: 16, fill: '#9a4a3a' }),
    ...powers.map((rate) => shape('path', { d: `M0 ${y(rate)}H${width}`, stroke: FAINT })),
    ...timeAxis(scales, picture.outage),
    ...picture.levels.flatMap(({ name, rate }) => [
      shape('path', { d: `M0 ${y(rate)}H${width}`, stroke: INK, 'stroke-dasharray': '5 4' }),
      text(name, { x: width + 5, y: y(rate) + 4 }),
    ]),
    ...panel.lines.map((line) =>
      shape('path', {
        d: pathOf(line, scales),
        fill: 'none',
        stroke: line.colour,
        'stroke-width': 1.5,
        'stroke-linejoin': 'round',
      }),
    ),
    shape('rect', { width, height, fill: 'none', stroke: QUIET }),
  ]
}

const legend = (lines: readonly Line[]): readonly string[] =>
  lines
    .toReversed()
    .flatMap(({ name, colour }, nth) => [
      shape('path', { d: `M${CORNER.x + nth * 120} 55h22`, stroke: colour, 'stroke-width': 3 }),
      text(name, { x: CORNER.x + nth * 120 + 28, y: 59 }),
    ])

/** Nothing but its input decides what is drawn, down to the byte. */
export function svgOf(picture: Picture): string {
  const { panels, title, description } = picture
  const scales = scalesOf(picture)
  const height = CORNER.y + Math.ceil(panels.length / 2) * PITCH.y - 38
  const plots = panels.map((panel, nth) => {
    const [row, column] = [Math.floor(nth / 2), nth % 2]
    return [
      `<g transform="translate(${CORNER.x + column * PITCH.x} ${CORNER.y + row * PITCH.y})">`,
      ...plot(panel, picture, scales),
      ...(column === 0 ? rateAxis(scales) : []),
      '</g>',
    ].join('\n')
  })
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${height}" viewBox="0 0 ${WIDTH} ${height}" ` +
      `role="img" font-family="system-ui, 'Segoe UI', Helvetica, Arial, sans-serif" font-size="12" fill="${INK}">`,
    `<title>${title}</title>`,
    `<desc>${description}</desc>`,
    shape('rect', { width: WIDTH, height, fill: '#ffffff' }),
    text(title, { x: CORNER.x, y: 34, 'font-size': 18, 'font-weight': 600 }),
    ...legend(panels[0]?.lines ?? []),
    text('Requests per second, mean of each minute; the scale is logarithmic', {
      x: CORNER.x + PITCH.x + PLOT.width,
      y: 59,
      'text-anchor': 'end',
      fill: QUIET,
    }),
    ...plots,
    '</svg>',
    '',
  ].join('\n')
}
