import type { EN_ZONES } from '../en/zones.ts'
import { plural } from '../plural.ts'

/** Zones. */
export const DE_ZONES: typeof EN_ZONES = {
  zones: {
    title: 'Zonen',
    zone: 'Zone',
    note: 'Notiz',
    kind: 'Art',
    serial: 'Seriennummer',
    own: 'eigene',
    shared: 'geteilt',
    none: 'Sie haben noch keine Zone.',
    makeOne: 'Neue Zone',
    name: 'Domain',
    nameHint: 'Eine Domain, die Sie registriert haben, etwa example.com.',
    make: 'Zone anlegen',
  },
  zone: {
    now: 'Jetzt',
    serial: 'Seriennummer',
    names: 'Namen',
    published: 'Veröffentlicht',
    pending: (count) => plural(count, 'Name wartet', 'Namen warten'),
    why: {
      unserved:
        'Kein Nameserver antwortet für diese Zone. Der Betreiber setzt dafür dns_listen, ' +
        'und answer_queries = true oder secondaries.',
      behind: 'Noch nicht jeder Nameserver hat die letzte Änderung; unten steht, was jeder hat.',
      unproved: 'Für sie wird erst geantwortet, wenn feststeht, dass sie Ihnen gehört.',
    },
    nameservers: 'Nameserver',
    atRegistrar:
      'Tragen Sie diese dort ein, wo Sie die Domain registriert haben; prüfen Sie dann die Delegation.',
    apex: 'Einträge der Zone selbst',
    more: 'Mehr',
    export: 'Als Zonendatei exportieren',
    import: 'Zonendatei importieren',
    note: 'Notiz und Vorgabe',
    description: 'Notiz',
    defaultTtl: 'Vorgegebene TTL in Sekunden',
    remove: 'Zone löschen',
    removeWhat: (count) =>
      `Das löscht die Zone und ${plural(count, 'Namen', 'Namen')} darin. Es kann nicht zurückgenommen werden.`,
    removeCount: 'Wie viele Namen gehen mit?',
    removeOthers: 'Wie viele Namen anderer Konten gehen mit?',
    countWrong: (count) =>
      `Die Zone hat ${plural(count, 'Namen', 'Namen')}; geben Sie ${count} ein, um sie zu löschen.`,
  },
  zoneProof: {
    title: 'Zeigen Sie, dass die Zone Ihnen gehört',
    delegate: 'Tragen Sie dort, wo Sie die Domain registriert haben, die Nameserver dieses Dienstes ein:',
    record: 'Oder legen Sie, solange andere Nameserver für sie antworten, dort einen TXT-Eintrag an:',
    name: 'Name',
    value: 'Text',
    look: 'Der Dienst sieht alle zehn Minuten nach. Sofort nachsehen:',
  },
  delegation: {
    title: 'Delegation',
    check: 'Delegation prüfen',
    fine: 'Alles passt',
    parent: 'Zone darüber',
    parentServers: 'Nameserver dort',
    ds: 'DS dort',
    none: 'keiner',
    at: 'Geprüft',
    unknown: 'nicht bekannt',
    server: 'Server',
    authoritative: 'antwortet für die Zone',
    notAuthoritative: 'antwortet nicht für die Zone',
    silent: 'antwortet nicht',
    dnskeys: 'Schlüssel von DNSSEC',
  },
  import: {
    title: (zone) => `Import: ${zone}`,
    what: 'Eine Zonendatei ersetzt die Einträge der Zone',
    file: 'Eine Datei lesen',
    text: 'Zonendatei',
    hint: 'Wie in RFC 1035. Zuerst sehen Sie, was sich ändern würde.',
    preview: 'Vorschau',
    same: 'Die Zone hat diese Einträge schon',
    changes: 'Was der Import ändert',
    counts: (n) => `${n.new} neu, ${n.changed} geändert, ${n.removed} entfernt, ${n.same} gleich`,
    isFinal:
      'Ein Import ist endgültig. Ein Export enthält die Einträge, aber nicht ihre Schlüssel, Kennungen und Zusatzangaben.',
    go: 'Importieren',
    back: 'Zurück zur Datei',
    refused: 'Die Datei kann nicht importiert werden',
    isOther:
      'Die Zone hat sich inzwischen geändert. Es wurde nichts gespeichert; das würde die Datei jetzt ändern.',
    more: (count) => (count === 1 ? 'Und eine weitere.' : `Und ${count} weitere.`),
    line: (line) => `Zeile ${line}`,
  },
}
