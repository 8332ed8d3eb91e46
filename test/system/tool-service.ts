import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { NameServer } from './name-server-programs.ts'
import { blocksBelow, shell, type Variables } from './documented.ts'
import { type Primary, primary, type SecondaryAt } from './secondaries.ts'

/** A service with the zone example.test, as tools of others use it. */
export interface ToolService extends Primary {
  /** The variables of the documents, with new keys for these scopes, and the file `api-key` in the folder. */
  readonly variables: (folder: string, change: (text: string) => string) => Promise<Variables>
  /** The values of a TXT record, by our own answers. */
  readonly stored: () => Promise<string>
}

const OWNER = { ACCOUNT: 'acme' }

/** Starts it. The keys are made as docs/acme.md says. */
export async function toolService(
  folder: string,
  secondaries: readonly SecondaryAt[] = [],
): Promise<ToolService> {
  const at = await primary(folder, secondaries)
  const status = await at.api('POST', '/dns/zones', { zone_name: 'example.test' })
  if (status !== 201) throw new Error(`the zone is not made: ${status}`)
  const url = { URL: at.url, KEY: at.key }
  const made = async (command: string): Promise<Readonly<Record<string, string>>> => {
    const { stdout, stderr } = await shell(command, url)
    const { data } = JSON.parse(stdout) as { readonly data?: Readonly<Record<string, string>> }
    if (data === undefined) throw new Error(`${command}: ${stdout} ${stderr}`)
    return data
  }
  return {
    ...at,
    variables: async (own, change) => {
      const [api = '', tsig = ''] = blocksBelow('docs/acme.md', 'Make a key with the least rights').map(
        change,
      )
      const { key = '' } = await made(api)
      const { name = '', secret = '' } = await made(tsig)
      writeFileSync(join(own, 'api-key'), `${key}\n`, { mode: 0o600 })
      const dns = { DNS_HOST: '127.0.0.1', DNS_PORT: String(at.dns), TSIG_NAME: name, TSIG_SECRET: secret }
      return { ...OWNER, ...dns, URL: at.url, DIR: own, HOME: own }
    },
    stored: async () => {
      const response = await fetch(`${at.url}/v1/dns/zones/example.test/export`, {
        headers: { authorization: `Bearer ${at.key}` },
      })
      return response.text()
    },
  }
}

/** Stops name servers and their primary. */
export async function stopAll(at: Primary | undefined, servers: readonly NameServer[]): Promise<void> {
  await Promise.all(servers.map(async (server) => server.stop('SIGKILL')))
  await at?.kill('SIGKILL')
}
