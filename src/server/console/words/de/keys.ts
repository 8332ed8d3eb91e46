import type { EN_KEYS } from '../en/keys.ts'

/** Keys of routers and programs. */
export const DE_KEYS: typeof EN_KEYS = {
  keys: {
    title: 'Schlüssel',
    key: 'Schlüssel',
    names: 'Namen',
    ddns: 'Schlüssel von Routern',
    ddnsWhat:
      'Ein Router, oder ein Programm, das einen Namen auf einer wechselnden Adresse hält, hat einen davon.',
    makeOne: 'Neuer Schlüssel für einen Router',
    blocked: 'gesperrt',
    waiting: 'noch kein Update',
    works: 'arbeitet',
  },
  key: {
    now: 'Jetzt',
    username: 'Benutzername',
    waiting: 'Wartet auf das erste Update',
    blockedFor: {
      operator: 'Der Betreiber hat den Schlüssel gesperrt. Fragen Sie ihn.',
      abuse:
        'Der Router hat zu viele Anfragen gesendet, zu viele ohne Änderung, oder eine abgelehnte wiederholt. ' +
        'Berichtigen Sie seine Einstellungen; die Sperre endet von selbst.',
    },
    until: 'Sie endet',
    created: 'Angelegt',
    change: 'Ändern',
    renewWhat: 'Ein neues Passwort beendet das alte sofort: tragen Sie es im Router ein.',
    renew: 'Neues Passwort',
    remove: 'Schlüssel löschen',
  },
  newKey: {
    title: 'Neuer Schlüssel für einen Router',
    what: 'Er darf die Adressen dieser Namen ändern, und sonst nichts',
    description: 'Wofür ist er?',
    descriptionHint: 'Etwa: Router im Flur.',
    hostnames: 'Namen',
    hostnamesHint: 'Ganze Namen, die Sie hier angelegt haben, mit Leerzeichen dazwischen.',
    make: 'Schlüssel anlegen',
    made: 'Der Schlüssel',
    secret: 'Nur jetzt',
    once: 'Das Passwort wird einmal gezeigt. Kopieren Sie es, oder tragen Sie es jetzt im Router ein.',
    toKey: 'Zum Schlüssel',
    recipes: 'So wird er eingetragen',
  },
  scopes: {
    all: 'darf alles, was das Konto darf',
    read: 'darf nur lesen',
    zone: (value) => `nur in der Zone ${value}`,
    name: (value) => `nur bei ${value} und darunter`,
    type: (value) => `darf nur Einträge des Typs ${value} ändern`,
  },
  programKeys: {
    may: 'Was er darf',
    mayHint: 'Ohne Grenze darf er alles, was das Konto darf.',
    expires: 'Endet',
    endless: 'nie',
    used: 'Zuletzt verwendet',
    remove: 'Löschen',
    description: 'Wofür ist er?',
    descriptionHint: 'Etwa: Zertifikate des Webservers.',
    limits: {
      zones: { label: 'Nur in diesen Zonen', hint: 'Mit Leerzeichen dazwischen. Leer: in allen.' },
      names: {
        label: 'Nur bei diesen Namen und darunter',
        hint: 'Ganze Namen, etwa _acme-challenge.www.example.com.',
      },
      types: { label: 'Nur diese Typen', hint: 'Etwa TXT. Leer: alle.' },
    },
    days: 'Endet nach so vielen Tagen',
    daysWrong: (most) => `Das ist keine ganze Zahl von Tagen von 1 bis ${most}.`,
    once: 'Er wird einmal gezeigt. Kopieren Sie ihn jetzt in das Programm.',
    daysHint: 'Leer: nie.',
    make: 'Schlüssel anlegen',
    name: 'Name',
    toKeys: 'Zu den Schlüsseln',
    api: {
      title: 'API-Schlüssel',
      what: 'Für Programme, die die API dieses Dienstes verwenden.',
      makeOne: 'Neuer API-Schlüssel',
      made: 'Der API-Schlüssel',
      secret: 'API-Schlüssel',
    },
    tsig: {
      title: 'TSIG-Schlüssel',
      what: 'Für nsupdate, certbot und andere Programme, die Einträge per DNS ändern (RFC 2136).',
      makeOne: 'Neuer TSIG-Schlüssel',
      made: 'Der TSIG-Schlüssel',
      secret: 'Geheimnis',
    },
  },
}
