import type { ChildProcess } from 'node:child_process'
import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { freePort } from '../free-port.ts'
import { holdfast, start } from '../e2e/processes.ts'
import { SECRET } from './name-server-programs.ts'

export interface Primary {
  readonly url: string
  readonly dns: number
  readonly folder: string
  readonly key: string
  readonly log: () => string
  /** Of the process that runs now. */
  readonly pid: () => number
  readonly api: (method: string, path: string, body?: unknown) => Promise<number>
  readonly admin: (...words: readonly string[]) => Promise<string>
  readonly kill: (signal: NodeJS.Signals) => Promise<void>
  /** Reads its configuration and its certificate again. */
  readonly reload: () => void
  /** Starts it again, on the same ports. */
  readonly restart: () => Promise<void>
}

export interface SecondaryAt {
  readonly name: string
  readonly port: number
}

/** A service with a store, an account and an API key, whose zones these secondaries may fetch. */
export async function primary(
  folder: string,
  secondaries: readonly SecondaryAt[],
  more: readonly string[] = [],
  store = join(folder, 'store'),
): Promise<Primary> {
  const [dns, http] = [await freePort(), await freePort()]
  const config = join(folder, 'service.toml')
  const keys = join(folder, 'tsig.keys')
  writeFileSync(keys, secondaries.map(({ name }) => `${name}-key hmac-sha256 ${SECRET}\n`).join(''))
  chmodSync(keys, 0o600)
  const listed = secondaries.map(({ name, port }) => `"${name}=127.0.0.1:${port} key ${name}-key"`)
  writeFileSync(
    config,
    [
      `store = "${store}"`,
      `listen = ["127.0.0.1:${http}"]`,
      ...(more.some((line) => line.startsWith('dns_listen ')) ? [] : [`dns_listen = ["127.0.0.1:${dns}"]`]),
      'nameservers = ["ns1.operator.test", "ns2.operator.test"]',
      'answer_queries = true',
      'redirect_addresses = ["192.0.2.80", "2001:db8::80"]',
      ...(secondaries.length === 0
        ? []
        : [`tsig_key_file = "${keys}"`, `secondaries = [${listed.join(', ')}]`]),
      'request_limit = 1000000',
      'nochg_limit = 1000000',
      ...more,
      '',
    ].join('\n'),
  )
  const admin = async (...words: readonly string[]): Promise<string> => {
    const { code, stdout, stderr } = await holdfast(['admin', ...words, '--config', config], {
      node: process.execPath,
    })
    if (code !== 0) throw new Error(`${words.join(' ')}: ${stderr}`)
    return stdout.trim()
  }
  await admin('init')
  await admin('plan', 'add', 'p', 'max-names=2000000', 'max-rdata=2000000')
  await admin('account', 'add', 'acme', 'p')
  const key = (await admin('api-key', 'add', 'acme')).split(' ').at(-1) ?? ''
  let log = ''
  let child: ChildProcess | undefined
  let ended: Promise<unknown> = Promise.resolve()
  const restart = async (): Promise<void> => {
    const next = start(['serve', '--config', config, '--json'])
    child = next
    ended = new Promise((done) => next.once('close', done))
    next.stderr?.on('data', (chunk: Buffer) => (log += chunk.toString()))
    const lines = createInterface({ input: next.stdout ?? process.stdin })
    await Promise.race([
      new Promise((done) => lines.once('line', done)),
      ended.then(() => {
        throw new Error(`the service ended: ${log}`)
      }),
    ])
  }
  await restart()
  const url = `http://127.0.0.1:${http}`
  return {
    url,
    dns,
    folder,
    key,
    log: () => log,
    pid: () => child?.pid ?? 0,
    admin,
    restart,
    reload: () => void child?.kill('SIGHUP'),
    kill: async (signal) => {
      child?.kill(signal)
      await ended
    },
    api: async (method, path, body) => {
      const response = await fetch(`${url}/v1${path}`, {
        method,
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      })
      await response.text()
      return response.status
    },
  }
}
