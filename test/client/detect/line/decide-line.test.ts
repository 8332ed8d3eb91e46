import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { instant } from '../../../../src/shared/base/time.ts'
import {
  decideLine,
  type LineRule,
  type LineState,
  NO_LINE,
} from '../../../../src/client/detect/line/decide-line.ts'
import type { HomeNow, LineInUse } from '../../../../src/client/detect/line/line.ts'

type LineRow = Omit<LineInUse, 'beneath'> & { readonly beneath?: string }

interface Step {
  readonly at: number
  /** The name of a line; missing where there is no way out. */
  readonly use?: string | null
  /** What is not known of it. */
  readonly without?: readonly string[]
  readonly now?: HomeNow
  readonly rule?: LineRule
  readonly want: string
  readonly because: string
  readonly until?: number
}

interface Case {
  readonly id: string
  readonly says: string
  readonly home: string | null
  readonly published: boolean
  readonly steps: readonly Step[]
}

interface Cases {
  readonly lines: Readonly<Record<string, LineRow>>
  readonly cases: readonly Case[]
}

describe.each(['ipv4', 'ipv6'])('the line, %s', (file) => {
  const text = readFileSync(join(import.meta.dirname, `${file}-cases.json`), 'utf8')
  const { lines, cases } = JSON.parse(text) as Cases
  const lineOf = (name: string): LineInUse => {
    const row = lines[name]
    if (row === undefined) throw new Error(`there is no line ${name}`)
    const { beneath, ...line } = { ...DEFAULTS, ...row }
    return { ...line, ...(beneath !== undefined && { beneath: lineOf(beneath) }) }
  }
  const inUse = ({ use, without }: Step): LineInUse | undefined => {
    if (use === undefined || use === null) return undefined
    const known = Object.entries(lineOf(use)).filter(([name]) => without?.includes(name) !== true)
    return Object.fromEntries(known) as unknown as LineInUse
  }

  it.each(cases)('$id: $says', ({ home, published, steps }) => {
    let state: LineState = NO_LINE
    if (home !== null) {
      const { interface: name, source, gateway, mac } = lineOf(home)
      state = {
        ...NO_LINE,
        home: {
          interface: name,
          ...(source && { source }),
          ...(gateway && { gateway }),
          ...(mac && { mac }),
        },
      }
    }
    for (const one of steps) {
      const use = inUse(one)
      const step = decideLine(state, {
        at: instant(one.at),
        ...(use && { use }),
        ...(one.now && { home: one.now }),
        isPublished: published,
        rule: one.rule ?? 'guard',
      })
      ;({ state } = step)
      const { kind, because } = step.verdict
      expect({ at: one.at, kind, because }).toEqual({ at: one.at, kind: one.want, because: one.because })
      const until = step.verdict.kind === 'held' ? step.verdict.until : undefined
      if (one.until !== undefined) expect(until).toBe(one.until)
    }
  })
})

const DEFAULTS = { isGlobal: false, isForeign: false, isTunnel: false }
