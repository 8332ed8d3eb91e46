import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { describe, expect, it, onTestFinished } from 'vitest'
import { freePort } from '../free-port.ts'
import { eventually } from '../eventually.ts'
import { lacks } from '../lacks.ts'
import { askedAt } from './dns-asked.ts'
import { cleanEnvironment, LAUNCHER, ROOT, scratch } from './processes.ts'

/** “Serve your own zone” of docs/service.md, run as a reader runs it, by commands and files that are on the page. */

const PAGE = readFileSync(join(ROOT, 'docs/service.md'), 'utf8')
const SECTION = PAGE.split('\n## Serve your own zone\n')[1]?.split(/^## /m)[0] ?? ''
const SETTINGS_FILE = '# /etc/holdfast/service.toml'

interface Block {
  readonly language: string
  readonly body: string
}
const BLOCKS: readonly Block[] = [...SECTION.matchAll(/^```(\w*)\n([^]*?)^```$/gm)].map(
  ([, language = '', body = '']) => ({ language, body }),
)

/** Commands of one block; a line that ends in a backslash goes on. */
const commandsOf = ({ body }: Block): readonly string[] =>
  body
    .replaceAll(/\\\n\s*/g, '')
    .split('\n')
    .filter((line) => line.trim() !== '' && !line.startsWith('#'))

const isServe = (command: string): boolean => /^(sudo )?holdfast serve\b/.test(command)
const SHELL = BLOCKS.flatMap((block, at) => (block.language === 'sh' ? [{ block, at }] : []))
const serveAt = SHELL.find(({ block }) => commandsOf(block).some(isServe))?.at ?? -1
/** The last one that the reader has before the service starts. */
const CONFIGURATION = BLOCKS.slice(0, Math.max(0, serveAt)).findLast(
  ({ language, body }) => language === 'toml' && body.startsWith(SETTINGS_FILE),
)?.body

/** What a reader copies from the terminal, in the order in which it is printed: keys, passwords and usernames. */
const copiedFrom = (text: string): readonly string[] =>
  [...text.matchAll(/\b[A-Za-z0-9]{21}\b|(?<="username":")[a-z0-9]{7}(?=")/g)].map(([found]) => found)

/** The places of the page that are others here: ports, the store, and what was printed. */
class Reader {
  readonly #replaced = new Map<string, string>()
  replace(shown: string, real: string): void {
    this.#replaced.set(shown, real)
  }
  /** What the page shows, and what was printed in its place. */
  copy(shown: string, printed: string): void {
    const real = copiedFrom(printed)
    for (const [at, value] of copiedFrom(shown).entries()) this.replace(value, real[at] ?? 'not printed')
  }
  read(text: string): string {
    let result = text
    for (const [shown, real] of this.#replaced) result = result.replaceAll(shown, real)
    return result
  }
}

/** The values of a setting that is a list of addresses with ports. */
const endpointsOf = (setting: string): readonly string[] => {
  const [, list = ''] = new RegExp(`^${setting} = \\[(.*)\\]$`, 'm').exec(CONFIGURATION ?? '') ?? []
  return [...list.matchAll(/"([^"]+)"/g)].map(([, endpoint = '']) => endpoint)
}

/** The page with free ports of loopback, as a file, and a `holdfast` in the path that reads this file. */
async function prepared() {
  const folder = scratch()
  const [settings, program] = [join(folder, 'service.toml'), join(folder, 'holdfast')]
  const reader = new Reader()
  const dns = await freePort()
  for (const endpoint of endpointsOf('dns_listen')) reader.replace(endpoint, `127.0.0.1:${dns}`)
  for (const endpoint of endpointsOf('listen')) reader.replace(endpoint, `127.0.0.1:${await freePort()}`)
  reader.replace('/var/lib/holdfast-service', join(folder, 'store'))
  writeFileSync(settings, reader.read(CONFIGURATION ?? ''))
  writeFileSync(program, `#!/bin/sh\nexec '${process.execPath}' '${LAUNCHER}' "$@" --config '${settings}'\n`)
  chmodSync(program, 0o755)
  const env = { ...cleanEnvironment({}), PATH: `${folder}:${process.env['PATH']}` }
  return { reader, dns, env }
}

async function started(command: string, env: NodeJS.ProcessEnv): Promise<void> {
  const child = spawn('/bin/sh', ['-c', `exec ${command}`], { env, stdio: 'pipe' })
  const ended = once(child, 'close')
  onTestFinished(async () => {
    child.kill('SIGTERM')
    await ended
  })
  const listening = new Promise<void>((done) => {
    for (const stream of [child.stdout, child.stderr])
      createInterface({ input: stream }).on('line', (line) => line.includes('listen') && done())
  })
  const tooEarly = ended.then(([code]) => Promise.reject(new Error(`${command} ended with ${code}`)))
  await Promise.race([listening, tooEarly])
}

describe('“Serve your own zone” in docs/service.md', () => {
  it('has a configuration in which the service or a secondary answers for the zone', () => {
    expect(CONFIGURATION).toBeDefined()
    const isAnswered =
      endpointsOf('dns_listen').length > 0 && /^answer_queries = true$/m.test(CONFIGURATION ?? '')
    const isFetched = /^secondaries = \[".+"\]$/m.test(CONFIGURATION ?? '')
    expect({ isAnswered, isFetched }).not.toEqual({ isAnswered: false, isFetched: false })
  })

  it.skipIf(lacks('curl'))('leads to a name that the DNS gives after its update', async () => {
    const { reader, dns, env } = await prepared()
    let printedAll = ''
    for (const { block, at } of SHELL) {
      let printed = ''
      for (const shown of commandsOf(block)) {
        const command = reader.read(shown)
        // A page that needs another program needs it here.
        expect(shown).toMatch(/^(sudo )?(holdfast|curl|dig) /)
        if (isServe(shown)) await started(command, env)
        else if (!shown.startsWith('dig '))
          printed += (await promisify(execFile)('/bin/sh', ['-c', command], { env, cwd: ROOT })).stdout
      }
      const next = BLOCKS[at + 1]
      if (next?.language === '') reader.copy(next.body, printed)
      printedAll += printed
    }
    const [, address] = /^good (\S+)$/m.exec(printedAll) ?? []
    const [, name = ''] = /\/nic\/update\?hostname=([^&']+)/.exec(SECTION) ?? []
    expect([name, address]).toEqual(['home.acme.test', '192.0.2.1'])
    await eventually(async () => askedAt(dns, name)).toBe(`NOERROR ${address}`)
    expect(await askedAt(dns, 'acme.test', 'SOA')).toBe('NOERROR SOA')
  })
})
