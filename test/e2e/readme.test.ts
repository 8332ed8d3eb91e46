import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type Ended, holdfast, ROOT, scratch, service } from './processes.ts'

const README = readFileSync(join(ROOT, 'README.md'), 'utf8')

const sectionOf = (title: string): string => README.split(`\n## ${title}\n`)[1]?.split('\n## ')[0] ?? ''
const blocksOf = (section: string): readonly string[] =>
  [...section.matchAll(/^```\w*\n([^]*?)^```$/gm)].map(([, body = '']) => body)

describe('“Try it” in the README', () => {
  const [command = '', first = '', second = ''] = blocksOf(sectionOf('Try it'))
  const words = command.trim().split(' ')
  const valueOf = (flag: string): string => words[words.indexOf(flag) + 1] ?? ''

  it('prints what the README shows, the first time and the second', async () => {
    const at = await service()
    const password = /^HOLDFAST_PASSWORD=(\S+) holdfast update /.exec(command)?.[1] ?? ''
    const inOurs = (text: string): string =>
      text
        .replaceAll(valueOf('--server'), at.url)
        .replaceAll(new URL(valueOf('--server')).host, new URL(at.url).host)
        .replaceAll(valueOf('--username'), at.username)
        .replaceAll(password, at.password)
    /** A terminal shows the log before the result. */
    const shown = ({ stderr, stdout }: Ended): string =>
      `${stderr}${stdout}`.replaceAll(/^[-\d]+ [:\d]+ /gm, 'TIME ')
    const args = [...inOurs(words.slice(2).join(' ')).split(' '), '--state-dir', scratch()]
    const run = async (): Promise<string> =>
      shown(await holdfast(args, { env: { HOLDFAST_PASSWORD: at.password } }))

    expect(await run()).toBe(inOurs(first).replaceAll(/^[-\d]+ [:\d]+ /gm, 'TIME '))
    expect(await run()).toBe(inOurs(second))
  })

  it('is on the first screen, after what Holdfast is and how it is installed', () => {
    const lines = README.split('\n')
    const titles = lines.filter((line) => line.startsWith('## '))

    expect(titles.slice(0, 2)).toEqual(['## Install', '## Try it'])
    expect(lines.indexOf(titles[2] ?? '')).toBeLessThan(40)
  })
})

it('“Demo and tests” has the commands that CI runs on a new Debian', () =>
  expect(README.match(/^npm ci && [^#]*[^# ](?= *#)/gm)).toEqual([
    'npm ci && npm run demo',
    'npm ci && npm test',
  ]))
