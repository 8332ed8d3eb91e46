import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { describe, expect, it, onTestFinished } from 'vitest'
import { oneIn } from '../large.ts'
import { lacks } from '../lacks.ts'
import { type Ended, holdfast, ROOT, scratch, service, start } from './processes.ts'

const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8')
const README = read('README.md')

/** The fenced blocks of a section, in order. */
function blocksOf(page: string, title: string): readonly string[] {
  const section = page.split(`# ${title}\n`)[1]?.split(/^#+ [A-Z]/m)[0] ?? ''
  const blocks = [...section.matchAll(/^```\w*\n([^]*?)^```$/gm)].map(([, body = '']) => body)
  if (blocks.length === 0) throw new Error(`the section ${title} has no blocks`)
  return blocks
}

/** What differs from run to run: times, ports, secrets and the username of the key. */
function masked(text: string): string {
  const [, username = ''] = /(?:DDNS key +|--username )(\S+)/.exec(text) ?? []
  const general = text
    .replaceAll(/^[-\d]+ [:\d]{8} /gm, 'TIME ')
    .replaceAll(/127\.0\.0\.1:\d+/g, 'HOST:PORT')
    .replaceAll(/\d\.\d s after good/g, 'SPAN after good')
    .replaceAll(/#[\w-]{43}/g, '#CODE')
    .replaceAll(/\b[A-Za-z0-9]{21}\b/g, 'SECRET')
  return username === '' ? general : general.replaceAll(username, 'USERNAME')
}

describe('“Try it” in the README', () => {
  const [command = '', first = '', second = ''] = blocksOf(README, 'Try it')

  it('prints what the README shows, the first time and the second', async () => {
    const at = await service()
    const words = command.trim().split(' ').slice(2)
    const [, username = ''] = /--username (\S+)/.exec(command) ?? []
    const args = words.map((word) =>
      word.startsWith('http:') ? at.url : word === username ? at.username : word,
    )
    // After --verify-servers, at the end of the command.
    args[args.length - 1] = at.dns
    const state = scratch()
    const run = async (): Promise<Ended> =>
      holdfast([...args, '--state-dir', state], {
        env: { HOLDFAST_PASSWORD: at.password, HOLDFAST_VERIFY: undefined },
      })
    /** A terminal shows the log before the result. */
    const shown = ({ stderr, stdout }: Ended): string =>
      masked(`${stderr}${stdout}`).replaceAll(at.username, username)

    expect(command).toMatch(/^HOLDFAST_PASSWORD=\S+ holdfast update .* --verify-servers 127\.0\.0\.1:\d+\n$/)
    expect(shown(await run())).toBe(masked(first))
    expect(shown(await run())).toBe(masked(second))
  })

  it('starts the service with the Node of the checkout, whichever Node is installed', async () => {
    const { scripts } = JSON.parse(read('package.json')) as {
      readonly scripts: Readonly<Record<string, string>>
    }
    expect(README).toContain('`npm run dev` starts a service')
    const child = spawn(scripts['dev'] ?? '', {
      cwd: ROOT,
      shell: true,
      detached: true,
      env: { PATH: '/usr/bin:/bin' },
    })
    onTestFinished(() => void process.kill(-(child.pid ?? Number.NaN)))
    const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string]

    expect(line).toMatch(/^The service listens on http:/)
  })

  it('is on the first screen, after what Holdfast is and how it is installed', () => {
    const lines = README.split('\n')
    const titles = lines.filter((line) => line.startsWith('## '))

    expect(titles.slice(0, 2)).toEqual(['## Install', '## Try it'])
    expect(lines.indexOf(titles[2] ?? '')).toBeLessThan(40)
  })
})

it('“Demo and tests” in the README has the commands that CI runs on a new Debian', () =>
  expect(README.match(/^npm ci && [^#]*[^# ](?= *#)/gm)).toEqual([
    'npm ci && npm run demo',
    'npm ci && npm test',
  ]))

it('docs/client.md shows what config check prints', async () => {
  const [file = '', printed = ''] = blocksOf(read('docs/client.md'), 'Configuration')
  const path = join(scratch(), 'holdfast.toml')
  writeFileSync(path, file)

  const { code, stderr } = await holdfast(['config', 'check', '--config', path])

  expect([code, stderr.replaceAll(path, 'holdfast.toml')]).toEqual([78, printed])
})

describe('docs/service.md', () => {
  const page = read('docs/service.md')

  it('shows what serve --dev prints', async () => {
    const [, printed = ''] = blocksOf(page, 'Try it')
    const child = start(['serve', '--dev'])
    onTestFinished(() => void child.kill())
    const lines: string[] = []
    if (child.stdout !== null)
      for await (const line of createInterface({ input: child.stdout })) {
        lines.push(line)
        if (lines.length === printed.trim().split('\n').length) break
      }

    expect(masked(`${lines.join('\n')}\n`)).toBe(masked(printed))
  })

  it('shows what the operations print that make an account', async () => {
    const [, commands = '', printed = ''] = blocksOf(page, 'Serve your own zone')
    const store = scratch()
    const outputs: string[] = []
    for (const line of commands.trim().split('\n'))
      outputs.push((await holdfast([...line.split(' ').slice(1), '--store', store])).stdout)

    expect(masked(outputs.join('').replaceAll(store, '/var/lib/holdfast-service'))).toBe(masked(printed))
  })
})

const BASH = '/bin/bash'

describe.skipIf(lacks('curl'))('docs/api.md', () => {
  const page = read('docs/api.md').split('# Reference\n')[0] ?? ''
  const titles = [...page.matchAll(/^##+ (.+)$/gm)].flatMap(([, title = '']) =>
    title === 'Examples' ? [] : [title],
  )

  /** Values that the reader copies from what was printed before. */
  const COPIED: Readonly<Record<string, RegExp>> = {
    ACME_KEY: /"key":"(\w+)"/,
    USERNAME: /"username":"(\w+)"/,
    ETAG: /etag: (\S+)/,
    NEXT: /"next":"([\w-]+)"/,
  }
  const isCopied = (line: string): boolean => /^(URL|KEY|PASSWORD|ACME_KEY|USERNAME|ETAG|NEXT)=/.test(line)

  /** What differs from run to run. */
  const constant = (text: string): string =>
    // First: a part of a tag, or of base64, may look like a secret.
    masked(
      text
        .replaceAll(/("secret":)"[\w+/]{43}="/g, '$1"TSIG_SECRET"')
        .replaceAll(/etag: ((?:W\/)?)"[\w-]{22}"/g, 'etag: $1TAG')
        .replaceAll(/"next":"[\w-]+"/g, '"next":"CURSOR"'),
    )
      .replaceAll(/"20\d\d-[-\dT:.]+Z"/g, '"TIME"')
      .replaceAll(/("last_used_at":)(null|"TIME")/g, '$1USED')
      .replaceAll(/("published_at":)(null|"TIME")/g, '$1PUBLISHED')
      .replaceAll(/("publication":)"(?:pending|published)"/g, '$1"SOON"')
      .replaceAll(/"serial":\d+/g, '"serial":SERIAL')
      .replaceAll(/("username"|"update_group"):"[a-z0-9]{7}"/g, '$1:"USERNAME"')
      .replaceAll(/err_\w{8}/g, 'ERROR')
      .replaceAll(/"key-[a-z0-9]{10}"/g, '"TSIG_NAME"')
      .replaceAll('\r', '')

  it('has an example of each task', () => expect(titles).toHaveLength(21))

  it.each(oneIn(2, titles))('shows what the commands print: %s', async (title) => {
    const { url, apiKey, accountPassword } = await service()
    const environment = {
      PATH: process.env['PATH'],
      URL: url,
      KEY: apiKey,
      PASSWORD: accountPassword,
      JSON: 'content-type: application/json',
    }
    const blocks = blocksOf(page, title).filter((block) => !block.startsWith('holdfast serve'))
    let printed = ''
    for (let n = 0; n < blocks.length; n += 2) {
      const copied = Object.entries(COPIED).map(([name, where]) => [name, where.exec(printed)?.[1] ?? ''])
      const commands = (blocks[n] ?? '').split('\n').filter((line) => !isCopied(line))
      const env = { ...environment, ...Object.fromEntries(copied) } as NodeJS.ProcessEnv
      const { stdout } = await promisify(execFile)(BASH, ['-c', commands.join('\n')], { env })

      expect(constant(stdout).trim()).toBe(constant(blocks[n + 1] ?? '').trim())
      printed += stdout
    }
  })
})
