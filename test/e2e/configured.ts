import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from '../free-port.ts'
import { holdfast, LAUNCHER, scratch, serveWith } from './processes.ts'

/** A service and its operator, who share one file of settings, as on a host. */

interface Shown {
  readonly code: number | null
  readonly stderr: string
  readonly data: Readonly<Record<string, unknown>>
}

export async function configured(toml: string) {
  const folder = scratch()
  const [file, store] = [join(folder, 'service.toml'), join(folder, 'store')]
  const write = (more: string): void =>
    writeFileSync(file, `store = "${store}"\nnameservers = ["ns1.operator.test"]\n${more}\n`)
  write(toml)
  const admin = async (...words: readonly string[]): Promise<Shown> => {
    const args = ['admin', ...words, '--json', '--config', file]
    const { code, stdout, stderr } = await holdfast(args, { node: process.execPath })
    return { code, stderr, data: JSON.parse(stdout === '' ? '{}' : stdout) as Shown['data'] }
  }
  const must = async (...words: readonly string[]): Promise<Shown['data']> => {
    const { code, stderr, data } = await admin(...words)
    if (code !== 0) throw new Error(`admin ${words.join(' ')}: ${code} ${stderr}`)
    return data
  }
  await must('init')
  await must('plan', 'add', 'basic', 'max-names=50')
  await must('account', 'add', 'acme', 'basic')
  await must('zone', 'add', 'acme.test', 'acme')
  const { key } = (await must('api-key', 'add', 'acme')) as { readonly key: string }
  return { admin: must, key, file, store, folder, write }
}
export type Configured = Awaited<ReturnType<typeof configured>>

/** Starts the service of these settings; it ends with the test. */
export async function served({ file, key }: Pick<Configured, 'file' | 'key'>) {
  const metrics = await freePort()
  const at = await serveWith(LAUNCHER, ['--config', file, '--metrics', `127.0.0.1:${metrics}`])
  const ask = async (method: string, path: string, body?: unknown) => {
    const response = await fetch(`${at.url}${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    const json = JSON.parse(text === '' ? '{}' : text) as { readonly data?: Record<string, unknown> }
    return { status: response.status, data: json.data ?? {}, text }
  }
  return {
    ...at,
    ask,
    dnsPort: Number(at.dns.split(':').at(-1)),
    metrics: async () => (await fetch(`http://127.0.0.1:${metrics}/metrics`)).text(),
  }
}
