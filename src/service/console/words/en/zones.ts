import { plural } from '../plural.ts'

/** Zones. */
export const EN_ZONES = {
  zones: {
    title: 'Zones',
    zone: 'Zone',
    note: 'Note',
    kind: 'Kind',
    serial: 'Serial',
    own: 'own',
    shared: 'shared',
    none: 'You have no zone yet.',
    makeOne: 'New zone',
    name: 'Domain',
    nameHint: 'A domain that you have registered, such as example.com.',
    make: 'Make the zone',
  },
  zone: {
    now: 'Now',
    serial: 'Serial',
    names: 'Names',
    published: 'Published',
    pending: (count: number) => plural(count, 'name waits', 'names wait'),
    why: {
      unserved:
        'No name server answers for this zone. For that, the operator sets dns_listen, ' +
        'and answer_queries = true or secondaries.',
      behind: 'Not all name servers have the last change yet; see below.',
      unproved: 'It is published after you prove that it is yours.',
    },
    nameservers: 'Name servers',
    atRegistrar:
      'Where you registered the domain, enter these as its name servers; then check the delegation.',
    apex: 'Records of the zone itself',
    more: 'More',
    export: 'Export as a zone file',
    import: 'Import a zone file',
    note: 'Note and default',
    description: 'Note',
    defaultTtl: 'Default TTL in seconds',
    remove: 'Delete the zone',
    removeWhat: (count: number) =>
      `This deletes the zone and its ${plural(count, 'name', 'names')}. It cannot be undone.`,
    removeCount: 'How many names are deleted with it?',
    removeOthers: 'How many names of other accounts are deleted with it?',
    countWrong: (count: number) =>
      `The zone has ${plural(count, 'name', 'names')}; type ${count} to delete them.`,
  },
  zoneProof: {
    title: 'Prove that the zone is yours',
    delegate: 'Where you registered the domain, enter the name servers of this service:',
    record: 'Or add this TXT record at the current name servers of the domain:',
    name: 'Name',
    value: 'Text',
    look: 'The service checks every ten minutes. To check now:',
  },
  delegation: {
    title: 'Delegation',
    check: 'Check the delegation',
    fine: 'Everything is correct',
    parent: 'Parent zone',
    parentServers: 'Name servers there',
    ds: 'DS there',
    none: 'none',
    at: 'Checked',
    unknown: 'not known',
    server: 'Server',
    authoritative: 'answers for the zone',
    notAuthoritative: 'does not answer for the zone',
    silent: 'does not answer',
    dnskeys: 'DNSSEC keys',
  },
  import: {
    title: (zone: string) => `Import: ${zone}`,
    what: 'A zone file replaces the records of the zone',
    file: 'Read a file',
    text: 'Zone file',
    hint: 'As in RFC 1035. First you see what would change.',
    preview: 'Preview',
    same: 'The zone has these records already',
    changes: 'What the import changes',
    counts: (n: {
      readonly new: number
      readonly changed: number
      readonly removed: number
      readonly same: number
    }) => `${n.new} new, ${n.changed} changed, ${n.removed} removed, ${n.same} the same`,
    isFinal:
      'An import cannot be undone. An export has the records that are removed, but not their keys, labels and metadata.',
    go: 'Import',
    back: 'Back to the file',
    refused: 'The file cannot be imported',
    isOther: 'The zone has changed meanwhile. Nothing was stored; this is what the file would change now.',
    more: (count: number) => `And ${count} more.`,
    line: (line: number) => `Line ${line}`,
  },
}
