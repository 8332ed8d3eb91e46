import type { EN_NAMES } from '../en/names.ts'
import { plural } from '../plural.ts'

/** Names and their records. */
export const DE_NAMES: typeof EN_NAMES = {
  names: {
    title: 'Namen',
    needYou: 'Hier sind Sie gefragt',
    search: 'Suche',
    state: 'Zustand',
    every: 'alle',
    find: 'Suchen',
    makeOne: 'Neuer Name',
    nothing: 'Kein Name passt dazu.',
    name: 'Name',
    addresses: 'Adresse',
    noAddress: 'keine',
    updated: 'Letztes Update',
    never: 'nie',
    order: 'Reihenfolge',
    orders: {
      name_labels_reversed: 'nach Namen',
      updated_at: 'zuletzt geändert',
      last_update_at: 'letztes Update',
    },
  },
  newName: {
    title: 'Neuer Name',
    what: 'Ein Name, der zu Ihrem Netz führt',
    noZone: 'Ein Name braucht eine Zone',
    noZoneWhy:
      'Eine Zone ist eine Domain, deren Namen Sie hier führen. Sie haben noch keine, und keine ist mit Ihnen geteilt.',
    hostname: 'Name',
    hostnameHint: (zones, first) => `Der ganze Name, etwa home.${first}. Ihre Zonen: ${zones.join(', ')}.`,
    addresses: 'Adressen',
    addressesHint:
      'IPv4 oder IPv6, mit Leerzeichen dazwischen. Lassen Sie es leer, wenn ein Router sie setzen wird.',
    make: 'Namen anlegen',
    notInZone: (hostname, proposal) =>
      `${hostname === '' ? 'Der Name' : hostname} liegt in keiner Zone, die Sie verwenden dürfen.${
        proposal === undefined ? '' : ` Meinen Sie ${proposal}?`
      }`,
  },
  name: {
    now: 'Jetzt',
    lastUpdate: 'Letztes Update',
    noUpdate: 'noch keines',
    from: 'von',
    program: 'Programm',
    key: 'Schlüssel des Routers',
    noKey: 'keiner.',
    makeKey: 'Einen Schlüssel dafür anlegen',
    changed: 'Geändert',
    published: 'Veröffentlicht',
    notPublished: 'noch nicht',
    trail: 'Was geschehen ist',
    wholeTrail: 'Alles davon',
    more: 'Mehr',
    isOnline: 'Der Name ist online.',
    isOffline: 'Der Name ist offline.',
    takeOffline: 'Offline nehmen',
    takeOnline: 'Online nehmen',
    remove: (name) => `${name} löschen`,
  },
  servers: {
    title: 'Nameserver',
    server: 'Server',
    serial: 'Seriennummer',
    current: 'aktuell',
    behind: 'im Rückstand',
    unknown: 'nicht bekannt',
    seen: 'Gesehen',
  },
  records: {
    title: 'Einträge',
    none: 'Es gibt keine.',
    hint: 'Ein leerer Wert entfernt den Eintrag. Es wird nichts gespeichert, bevor Sie gesehen haben, was sich ändert.',
    undoHint:
      'So waren die Einträge vor dieser Änderung. Es ist noch nichts gespeichert: prüfen Sie es zuerst.',
    type: 'Typ',
    ttl: 'TTL',
    value: 'Wert',
    typeOf: (row) => `Typ des Eintrags ${row}`,
    ttlOf: (row) => `TTL des Eintrags ${row}, in Sekunden`,
    valueOf: (row) => `Wert des Eintrags ${row}`,
    add: 'Mehr Zeilen',
    review: 'Änderungen prüfen',
    reviewTitle: (name) => `Prüfen: ${name}`,
    changes: (count) => plural(count, 'Änderung', 'Änderungen'),
    record: 'Eintrag',
    before: 'Vorher',
    after: 'Nachher',
    nothing: 'nichts',
    publish: 'Veröffentlichen',
    back: 'Zurück zu den Einträgen',
    ttlWrong: (ttl, type) =>
      `Die TTL ${ttl} von ${type} ist keine Zahl von Sekunden, oder nicht die der anderen ${type}-Einträge dieses Namens.`,
    changedMeanwhile:
      'Jemand anders hat diese Einträge inzwischen geändert. Dies sind die neuen: sehen Sie noch einmal hin.',
  },
}
