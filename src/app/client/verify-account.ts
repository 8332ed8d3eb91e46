import type { VerifyPorts } from '../../client/verify/ports.ts'
import type { ZoneServer } from '../../client/verify/zone-servers.ts'
import { formatDnsEndpoint } from '../../config/dns-endpoint.ts'
import { steadyClock } from '../../platform/clock.ts'
import { askByDatagram } from '../../platform/datagram.ts'
import { findNameServers } from '../../platform/name-servers.ts'
import { cachingResolve } from '../../platform/resolve.ts'
import { askByStream } from '../../platform/stream.ts'
import type { ClientAccount } from './settings.ts'

/** Hostnames of one account that are verified at once: those of one account change together, and one zone holds them. */
export const MAX_VERIFIED_NAMES = 10

/** With a cache of its own for the addresses of name servers. */
export const verifyPorts = (): VerifyPorts => ({
  clock: steadyClock,
  datagram: askByDatagram,
  stream: askByStream,
  resolve: cachingResolve(() => performance.now()).resolve,
  nameServers: findNameServers,
})

/** The servers that the user gave for this account. */
export const givenServers = ({ verifyServers }: ClientAccount): { servers?: readonly ZoneServer[] } =>
  verifyServers === undefined
    ? {}
    : {
        servers: verifyServers.map(({ host, port }) => ({
          name: formatDnsEndpoint({ host, port }),
          addresses: [host],
          port,
        })),
      }

/** Groups of a service have one label; they are no names of the DNS. */
export const isDomainName = (hostname: string): boolean => hostname.includes('.')
