import { limitedPorts } from '../../verify/limited.ts'
import type { VerifyPorts } from '../../verify/ports.ts'
import type { ZoneServer } from '../../verify/zone-servers.ts'
import { formatDnsEndpoint } from '../../../shared/settings/dns-endpoint.ts'
import { FAMILIES, type Family } from '../../../shared/base/address.ts'
import type { SystemPorts } from '../../../shared/ports/system.ts'
import type { ClientAccount } from '../../settings/settings.ts'

/** Hostnames that are verified at a time: those of one account change together, and one zone holds them. */
export const MAX_VERIFIED_NAMES = { ofAccount: 10, ofAll: 50 } as const

/** Of one process, at a time. */
const MAX_QUESTIONS = 16

export const verifyPorts = async ({ questions, steady, entropy }: SystemPorts): Promise<VerifyPorts> =>
  limitedPorts({ ...(await questions()), clock: steady, entropy }, MAX_QUESTIONS)

/** The servers that the user gave for this account. */
export const givenServers = ({
  verifyServers,
}: Pick<ClientAccount, 'verifyServers'>): { servers?: readonly ZoneServer[] } =>
  verifyServers === undefined
    ? {}
    : {
        servers: verifyServers.map(({ host, port }) => ({
          name: formatDnsEndpoint({ host, port }),
          addresses: [host],
          port,
        })),
      }

/** Families that this account does not send, and no other account for the same hostname. */
export const offFamilies = (
  hostname: string,
  { ipv4, ipv6 }: Pick<ClientAccount, 'ipv4' | 'ipv6'>,
  all: readonly ClientAccount[],
): { readonly off: readonly Family[] } => {
  const others = all.filter(({ hostnames }) => hostnames.includes(hostname))
  const isSent = { v4: ipv4 || others.some((one) => one.ipv4), v6: ipv6 || others.some((one) => one.ipv6) }
  return { off: FAMILIES.filter((family) => !isSent[family]) }
}

/** Groups of a service have one label; they are no names of the DNS. */
export const isDomainName = (hostname: string): boolean => hostname.includes('.')
