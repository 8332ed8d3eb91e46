import {
  KEY_NAME,
  TSIG_ALGORITHMS,
  type TsigAlgorithm,
  type TsigKey,
  tsigKeysIn,
} from '../../shared/dns/tsig.ts'
import { Secret } from '../../shared/base/secret.ts'
import { DNS_PORT } from '../../shared/settings/dns-endpoint.ts'
import { err, ok, type Result } from '../../shared/base/result.ts'
import type { MakeProtocol, ServiceAccount, UpdateProtocol } from '../services/protocols/protocol.ts'
import type { ProtocolName } from '../services/providers/provider.ts'
import { providerCalled } from '../services/providers/providers.ts'
import type { AccountConfig } from './read-client.ts'
import { formatComplaint } from '../../shared/settings/setting.ts'

/** Of an account for a name server. */
export const updatesNameServer = ({ provider }: Pick<AccountConfig, 'provider'>): boolean =>
  provider === 'rfc2136'

/**
 * The key of an account, whose password is its secret in Base64, or a whole file as `tsig-keygen` (BIND) or `keymgr` (Knot)
 * write one. The error is a sentence without the secret.
 */
export function tsigKeyOf(
  {
    username,
    tsigAlgorithm = 'hmac-sha256',
  }: Pick<AccountConfig, 'username'> & Partial<Pick<AccountConfig, 'tsigAlgorithm'>>,
  password: Secret,
): Result<TsigKey, string> {
  const text = password.reveal().trim()
  const keys = tsigKeysIn(text)
  const own = keys.find(({ name }) => keyName(name) === keyName(username))
  if (own === undefined && keys.length > 0)
    return err(
      `the password file has the key ${keys.map(({ name }) => name).join(', ')}, and username is ${username}; ` +
        'set username to the name of a key in that file',
    )
  const { secret, algorithm } = own ?? { secret: text, algorithm: undefined }
  const known = (algorithm ?? tsigAlgorithm).toLowerCase().replace(/\.$/, '')
  const name = keyName(username)
  if (!KEY_NAME.test(name) || name.length > 253)
    return err(`username ${username} is not the name of a TSIG key, such as home-key`)
  if (!Object.hasOwn(TSIG_ALGORITHMS, known))
    return err(`the algorithm ${known} is not one of ${Object.keys(TSIG_ALGORITHMS).join(', ')}`)
  if (secret === undefined || !isBase64(secret))
    return err('the password is neither a TSIG secret in Base64 nor a file that contains one')
  return ok({ name, algorithm: known as TsigAlgorithm, secret: new Secret(secret) })
}

const keyName = (name: string): string => name.toLowerCase().replace(/\.$/, '')

const isBase64 = (text: string): boolean =>
  text !== '' && Buffer.from(text, 'base64').toString('base64').replace(/=+$/, '') === text.replace(/=+$/, '')

const NO_KEY: TsigKey = { name: '', algorithm: 'hmac-sha256', secret: new Secret('') }

type MadeFor = (account: ServiceAccount) => UpdateProtocol

/** Loaded only for an account that needs it. */
const SERVICES: Readonly<Record<ProtocolName, (account: AccountConfig) => Promise<MadeFor>>> = {
  cloudflare: async () => (await import('../services/protocols/cloudflare.ts')).cloudflare,
  netcup: async () => {
    const { netcup } = await import('../services/protocols/netcup.ts')
    const { domainBelowSuffix } = await import('../../shared/platform/names/public-suffix.ts')
    return (account) => netcup(account, domainBelowSuffix)
  },
  rfc2136: async (config) => {
    const { rfc2136 } = await import('../services/protocols/dns-update.ts')
    return ({ password, ...account }) => {
      // The key was checked when its file was read; commands that send nothing have none.
      const key = tsigKeyOf(config, password)
      const { hostname, port } = new URL(account.server)
      const host = hostname.replaceAll(/[[\]]/g, '')
      return rfc2136({
        ...account,
        key: key.ok ? key.value : NO_KEY,
        nameServer: { host, port: Number(port || DNS_PORT) },
      })
    }
  },
  row: async ({ provider = '' }) => {
    const { RECORD_ROWS } = await import('../services/protocols/rows/rows.ts')
    const { recordService } = await import('../services/protocols/record-service.ts')
    const { domainBelowSuffix } = await import('../../shared/platform/names/public-suffix.ts')
    const row = RECORD_ROWS[provider]
    if (row === undefined) throw new Error(`${provider} has no row`)
    return (account) => recordService(account, row, domainBelowSuffix)
  },
}

/** The protocol of an account, unless it is /nic/update. The errors are complaints. */
export async function protocolFor(
  account: AccountConfig,
): Promise<Result<MakeProtocol | undefined, readonly string[]>> {
  const { url, provider = '' } = account
  const service = providerCalled(provider)?.protocol
  if (service !== undefined) return ok(forRecords(account, await SERVICES[service](account)))
  if (url === undefined) return ok(undefined)
  const { templateFor, templateProblems } = await import('./template-account.ts')
  const problems = templateProblems({ ...account, url })
  if (problems.length === 0) return ok(templateFor({ ...account, url }))
  return err(
    problems.map(({ key, problem }) => formatComplaint({ where: account.places[key] ?? '', problem })),
  )
}

const forRecords =
  ({ server, username, zone, ttl, create }: AccountConfig, made: MadeFor): MakeProtocol =>
  (parts) =>
    made({ server, username, zone, ttl: ttl && ttl / 1000, create, ...parts })
