import { FAMILIES, type Family, FAMILY_NAMES } from '../../shared/base/address.ts'
import { isAnswered, type Publication, type ServerCheck, type ServerFinding } from './publication.ts'

type Text = (publication: Publication) => string

/** One clause: what the name servers give. */
export const formatPublication: Text = (publication) =>
  `${TEXTS[publication.state](publication)}${formatStray(publication)}`

/** Clients that prefer the other family go there. */
function formatStray({ servers }: Publication): string {
  const stray = [...new Set(servers.flatMap((one) => one.stray ?? []))]
  return stray.length === 0
    ? ''
    : `; the DNS has also ${formatAddresses(stray)}, of a family that is switched off: remove that record at the service`
}

const serversWith = (servers: readonly ServerCheck[], ...findings: readonly ServerFinding[]): string =>
  listed(servers.filter(({ finding }) => findings.includes(finding)))

/** Names the servers that give the confirmed addresses. If none does, says that the service has accepted them. */
function formatSeen(servers: readonly ServerCheck[]): string {
  const seen = serversWith(servers, 'seen')
  return seen === '' ? 'accepted' : `published: seen at ${seen}`
}

const formatLate: Text = ({ servers }) =>
  `${formatSeen(servers)}, but ${formatOthers(servers)}${formatUnanswered(servers)}`

const TEXTS: { readonly [S in Publication['state']]: Text } = {
  published: ({ servers }) => `${formatSeen(servers)}${formatTook(servers)}${formatUnanswered(servers)}`,
  pending: ({ servers }) =>
    `${formatSeen(servers)}, not yet at ` +
    `${serversWith(servers, 'old', 'missing', 'other', 'alias')}${formatUnanswered(servers)}`,
  stale: formatLate,
  different: formatLate,
  hidden: ({ servers }) =>
    `confirmed by the service${servers.length === 0 ? '' : `; ${formatOthers(servers)}`}, as a proxy does`,
  unverified: ({ servers, because }) => `not verified: ${because ?? formatUnanswered(servers).slice(2)}`,
}

const listed = (servers: readonly ServerCheck[]): string => servers.map(({ server }) => server).join(', ')

/** The time until the last of these servers gave the addresses. */
function formatTook(servers: readonly ServerCheck[]): string {
  const times = servers.flatMap(({ finding, took }) => (finding === 'seen' && took !== null ? [took] : []))
  return times.length === 0 ? '' : ` (${(Math.max(...times) / 1000).toFixed(1)} s after good)`
}

/** The answers of servers that do not give the confirmed addresses; servers with the same answer are one group. */
function formatOthers(servers: readonly ServerCheck[]): string {
  const groups = new Map<string, ServerCheck[]>()
  for (const check of servers.filter((one) => isAnswered(one) && one.finding !== 'seen')) {
    const key = JSON.stringify([check.finding, check.family, check.addresses])
    groups.set(key, [...(groups.get(key) ?? []), check])
  }
  return [...groups.values()].map(formatGroup).join('; ')
}

const NOTHING = { finding: 'missing', family: null, addresses: [] } as const
const MAX_ADDRESSES = 4

const formatAddresses = (addresses: readonly string[]): string =>
  addresses.length > MAX_ADDRESSES
    ? `${addresses.slice(0, MAX_ADDRESSES).join(', ')} and ${addresses.length - MAX_ADDRESSES} more`
    : addresses.join(' and ')

function formatGroup(group: readonly ServerCheck[]): string {
  const [{ finding, family, addresses } = NOTHING] = group
  const isOne = group.length === 1
  const subject = listed(group)
  if (finding === 'missing')
    return `${subject} ${isOne ? 'has' : 'have'} no ${family === 'v6' ? 'IPv6' : 'IPv4'} address for it`
  if (finding === 'alias') return `${subject} ${isOne ? 'says' : 'say'} that it is an alias (CNAME)`
  const given = formatAddresses(addresses)
  return finding === 'old'
    ? `${subject} still ${isOne ? 'gives' : 'give'} ${given}`
    : `${subject} ${isOne ? 'gives' : 'give'} ${given}`
}

function formatUnanswered(servers: readonly ServerCheck[]): string {
  const [silent, lame] = (['silent', 'lame'] as const).map((finding) =>
    servers.filter((one) => one.finding === finding),
  )
  const clauses = [
    formatClause(silent, 'does not answer', 'do not answer'),
    formatClause(lame, 'does not answer for the zone', 'do not answer for the zone'),
  ]
  return [...clauses, ...FAMILIES.map((family) => formatPartly(servers, family))].join('')
}

/** Servers that answer for one family only; some drop questions for AAAA. */
function formatPartly(servers: readonly ServerCheck[], family: Family): string {
  const found = servers.filter(({ unanswered }) => unanswered.includes(family))
  const what = `for ${FAMILY_NAMES[family]}`
  return formatClause(found, `does not answer ${what}`, `do not answer ${what}`)
}

const formatClause = (servers: readonly ServerCheck[] = [], one: string, several: string): string =>
  servers.length === 0 ? '' : `; ${listed(servers)} ${servers.length === 1 ? one : several}`

/** What the state means for the user, in full sentences. */
// biome-ignore format: a table
export const PUBLICATION_ADVICE: { readonly [S in Publication['state']]: string } = {
  published:  'A resolver that asked earlier may give the earlier address until its copy expires (the TTL of the record).',
  pending:    'Name servers fetch changes on their own. There is nothing to do, and nothing is sent again.',
  stale:      'The service accepted the update; the operator of its name servers must repair them. Nothing is sent again.',
  different:  'These servers may still have an earlier address, another client or the website may have changed the name, or this network may have its own view of the zone. Nothing is sent again.',
  hidden:     'Visitors reach the addresses that the DNS gives, and the service leads them here. There is nothing to do.',
  unverified: 'Updates do not need this. The cause may be a network that redirects or blocks DNS (port 53); verify = false turns the question off.',
}
