import type { DelegatedServer, Delegation } from './delegation.ts'

interface Findings extends Pick<Delegation, 'parent' | 'servers'> {
  readonly zone: string
  /** Whether a serial of a server is older than that of the service. */
  readonly isOlder: (serial: number) => boolean
}

/** One sentence for each thing to do. */
export const delegationAdvice = (found: Findings): readonly string[] => [
  ...parentAdvice(found),
  ...found.servers.flatMap((server) => serverAdvice(server, found)),
  ...signatureAdvice(found),
]

function parentAdvice({ zone, parent, servers }: Findings): readonly string[] {
  const own = servers.filter(({ isOwn }) => isOwn).map(({ name }) => name)
  if (parent.zone === undefined || parent.nameservers === undefined)
    return [`the zone above ${zone} was not found, or did not answer; ask again in a minute`]
  if (parent.nameservers.length === 0)
    return [`the parent ${parent.zone} has no NS for ${zone}: set ${own.join(', ')} at the registrar`]
  const missing = own.filter((name) => parent.nameservers?.includes(name) === false)
  return missing.length === 0
    ? []
    : [`the parent ${parent.zone} has no NS ${missing.join(', ')} for ${zone}: add it at the registrar`]
}

function serverAdvice(server: DelegatedServer, { zone, isOlder, parent }: Findings): readonly string[] {
  const { name, isOwn, isAtParent, hasAddress, isAnswering, isAuthoritative, serial } = server
  if (!isOwn && !isAuthoritative && isAtParent === true)
    return [
      `the parent ${parent.zone} has the NS ${name}, which does not answer for ${zone}: remove it at the registrar`,
    ]
  if (hasAddress === false) return [`${name} has no address that can be asked`]
  if (hasAddress === undefined) return []
  if (!isAnswering) return [`${name} does not answer at port 53`]
  if (!isAuthoritative) return [`${name} answers, but not for ${zone}`]
  const isSigned = (server.dnskeys ?? 0) > 0
  // One that signs has serials of its own.
  return serial !== undefined && !isSigned && isOlder(serial)
    ? [`${name} gives serial ${serial}, which is older than that of the service`]
    : []
}

/** RFC 4035 §5: with DS at the parent, resolvers refuse answers without signatures. */
function signatureAdvice({ zone, parent, servers }: Findings): readonly string[] {
  const known = servers.filter(({ isAuthoritative, dnskeys }) => isAuthoritative && dnskeys !== undefined)
  if (parent.ds === undefined || known.length === 0) return []
  const unsigned = known.filter(({ dnskeys }) => dnskeys === 0).map(({ name }) => name)
  if (parent.ds.length > 0 && unsigned.length > 0)
    return [
      `the parent ${parent.zone} has DS for ${zone}, and ${unsigned.join(', ')} gives no DNSKEY: ` +
        'resolvers that validate refuse it; remove the DS at the registrar, or sign the zone',
    ]
  return parent.ds.length === 0 && unsigned.length === 0
    ? [
        `${zone} is signed, and the parent ${parent.zone} has no DS: nothing validates it; set the DS at the registrar`,
      ]
    : []
}
