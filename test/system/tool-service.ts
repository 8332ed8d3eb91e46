import type { NameServer } from './name-server-programs.ts'
import { shell, type Variables } from './documented.ts'
import { type Primary, primary, type SecondaryAt } from './secondaries.ts'

/** A service with the zone example.test, as tools of others use it. */
export interface ToolService extends Primary {
  /** What a command of a document creates by the API: the data of the answer. */
  readonly create: (command: string) => Promise<Variables>
  /** The variables of the documents. */
  readonly variables: (folder: string, tsig: Variables) => Variables
  /** The zone, as the API exports it. */
  readonly stored: () => Promise<string>
}

/** Starts it. */
export async function toolService(
  folder: string,
  secondaries: readonly SecondaryAt[] = [],
): Promise<ToolService> {
  const at = await primary(folder, secondaries)
  const status = await at.api('POST', '/dns/zones', { zone_name: 'example.test' })
  if (status !== 201) throw new Error(`the zone is not made: ${status}`)
  return {
    ...at,
    create: async (command) => {
      const { stdout, stderr } = await shell(command, { URL: at.url, KEY: at.key })
      const { data } = JSON.parse(stdout) as { readonly data?: Variables }
      if (data === undefined) throw new Error(`${command}: ${stdout} ${stderr}`)
      return data
    },
    variables: (own, { name = '', secret = '' }) => ({
      URL: at.url,
      ACCOUNT: 'acme',
      DIR: own,
      HOME: own,
      DNS_HOST: '127.0.0.1',
      DNS_PORT: String(at.dns),
      TSIG_NAME: name,
      TSIG_SECRET: secret,
    }),
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
