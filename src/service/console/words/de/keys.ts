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
    works: 'funktioniert',
    refused: 'Update abgelehnt',
  },
  key: {
    now: 'Jetzt',
    username: 'Benutzername',
    waiting: 'Wartet auf das erste Update',
    came: 'Das letzte Update wurde angenommen',
    refused: 'Das letzte Update wurde abgelehnt',
    reply: 'Antwort',
    refusals: {
      nohost:
        'Ein Name im Router ist keiner von denen oben, oder der Betreiber hat ihn gesperrt. ' +
        'Vergleichen Sie Zeichen für Zeichen.',
      badagent:
        'Der Router sagt nicht, welches Programm anfragt, oder dieser Dienst nimmt es nicht an. ' +
        'Aktualisieren Sie es, oder nehmen Sie ein anderes Rezept.',
      '!donator':
        'Der Plan oder die Zone erlaubt das nicht: die Zone ist nur für die Website, oder nimmt keine Adressen; ' +
        'oder die Anfrage nimmt einen Namen offline.',
      abuse:
        'Der Schlüssel war da gesperrt. Die meisten Router fragen erst wieder, wenn dort jemand ein Update startet.',
      '911': 'Der Dienst konnte es in diesem Augenblick nicht tun. Der Router fragt von selbst wieder.',
    },
    requestFrom: 'Anfrage von',
    edit: 'Bezeichnung und Namen',
    blockedFor: {
      operator: 'Der Betreiber hat den Schlüssel gesperrt. Fragen Sie ihn.',
      abuse:
        'Der Router hat zu viele Anfragen gesendet, zu viele ohne Änderung, oder eine abgelehnte wiederholt. ' +
        'Lassen Sie ihn seltener fragen, und berichtigen Sie seine Einstellungen. ' +
        'Starten Sie dort nach dem Ende ein Update von Hand.',
    },
    until: 'Sie endet',
    created: 'Angelegt',
    ofValues: 'Ganze Namen. Der Schlüssel ändert auch einzelne Einträge; ohne einen Namen hier nicht mehr.',
    change: 'Ändern',
    renewWhat: 'Ein neues Passwort beendet das alte sofort: tragen Sie es im Router ein.',
    renew: 'Neues Passwort',
    remove: 'Schlüssel löschen',
    removeWhat: 'Sein Router wird von da an abgelehnt. Die Namen bleiben.',
    ask: (what) => `${what} …`,
  },
  newKey: {
    /** The fields of the box, as it calls them. */
    fritzBox: {
      use: 'DynDNS benutzen',
      provider: 'DynDNS-Anbieter',
      custom: 'Benutzerdefiniert',
      url: 'Update-URL',
      domain: 'Domainname',
      user: 'Benutzername',
      password: 'Kennwort',
    },
    title: 'Neuer Schlüssel für einen Router',
    what: 'Er darf die Adressen dieser Namen ändern, und sonst nichts',
    description: 'Wofür ist er?',
    descriptionHint: 'Etwa: Router im Flur.',
    hostnames: 'Namen',
    hostnamesHint: 'Ganze Namen, die Sie hier angelegt haben, mit Leerzeichen dazwischen.',
    make: 'Schlüssel anlegen',
    made: (name) => `Neuer Schlüssel: ${name}`,
    secret: 'Nur jetzt zu sehen',
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
    daysWrong: (max) => `Geben Sie eine ganze Zahl von Tagen von 1 bis ${max} ein.`,
    once: 'Er wird einmal gezeigt. Kopieren Sie ihn jetzt in das Programm.',
    daysHint: 'Leer: nie.',
    make: 'Schlüssel anlegen',
    name: 'Name',
    algorithm: 'Algorithmus',
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
