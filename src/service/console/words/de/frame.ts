import { germanActor, germanDetail } from './details.ts'
import type { EN_FRAME } from '../en/frame.ts'
import { DE_ERRORS } from './errors.ts'
import { plural } from '../plural.ts'
import type { Translation } from '../words.ts'

/** What every page has, and signing in. */
export const DE_FRAME: Omit<typeof EN_FRAME, 'errors'> & Pick<Translation, 'errors'> = {
  language: 'de',
  navigation: 'Bereiche',
  places: {
    names: 'Namen',
    zones: 'Zonen',
    keys: 'Schlüssel',
    trail: 'Verlauf',
    account: 'Konto',
    operator: 'Betreiber',
  },
  toContent: 'Zum Inhalt',
  signOut: 'Abmelden',
  copy: 'Kopieren',
  copied: 'Kopiert',
  save: 'Speichern',
  saved: 'Gespeichert',
  onlyButton: 'Das ist die Antwort auf ein Formular',
  onlyButtonWhy:
    'Sie lässt sich nicht mit ihrer Adresse öffnen. Gehen Sie zur Seite mit dem Formular zurück.',
  more: (count) => (count === 1 ? 'und ein weiterer' : `und ${count} weitere`),
  pages: 'Seiten',
  firstPage: 'Erste Seite',
  nextPage: 'Nächste Seite',
  firstOf: (shown, total) => `Die ersten ${shown} von ${total}.`,
  toNames: 'Zu den Namen',
  notDone: 'Das hat nicht geklappt',
  notShown: 'Das kann nicht gezeigt werden',
  noPage: 'Diese Seite gibt es nicht',
  noPageWhy: 'Die Adresse ist falsch, oder was hier war, gibt es nicht mehr.',
  failed: 'Etwas ist schiefgegangen',
  failedWhy:
    'Es wurde nichts geändert. Versuchen Sie es noch einmal; wenn es wieder geschieht, sagen Sie es dem Betreiber.',
  away: 'Einen Augenblick',
  awayWhy:
    'Die Datenbank des Dienstes ist nicht erreichbar. Es wurde nichts geändert. Versuchen Sie es gleich noch einmal.',
  unsent: {
    title: 'Das wurde noch nicht gesendet',
    isOld:
      'Die Seite wurde geöffnet, bevor Sie sich angemeldet oder Ihr Passwort noch einmal eingegeben haben. ' +
      'Ihre Eingaben sind noch da.',
    isSignedOut:
      'Ihre Sitzung ist zu Ende, und es wurde nichts geändert. Ihre Eingaben sind noch da: ' +
      'Melden Sie sich in einem neuen Tab an, kommen Sie hierher zurück, und senden Sie sie.',
    isOthers: 'Die Seite wurde für ein anderes Konto geöffnet. Es wurde nichts geändert.',
    signIn: 'In einem neuen Tab anmelden',
    send: 'Jetzt senden',
  },
  retryAfter: (seconds) =>
    seconds > 60
      ? `Zu viele Fehlversuche. Versuchen Sie es in ${plural(Math.ceil(seconds / 60), 'Minute', 'Minuten')} wieder.`
      : `Versuchen Sie es in ${plural(seconds, 'Sekunde', 'Sekunden')} noch einmal.`,
  errors: DE_ERRORS,
  needed: 'Das wird gebraucht.',
  signIn: {
    title: 'Anmelden',
    byPassword: 'Mit dem Konto',
    account: 'Konto',
    password: 'Passwort',
    byKey: 'Mit einem API-Schlüssel',
    key: 'API-Schlüssel',
    keyHint: 'Sie dürfen, was der Schlüssel darf.',
    withKey: 'Mit dem Schlüssel anmelden',
    wrong: 'Das Konto oder das Passwort ist falsch.',
    wrongKey: 'Diesen Schlüssel gibt es nicht, oder er gilt nicht mehr.',
    wrongPasskey: 'Dieser Passkey ist hier nicht bekannt.',
  },
  forgotten: {
    title: 'Passwort vergessen?',
    what: 'Ein Link für ein anderes Passwort, per E-Mail',
    send: 'Link schicken',
    sent: 'Wenn es dieses Konto mit einer E-Mail-Adresse gibt, ist ein Link unterwegs. Er gilt eine Stunde.',
    ask: 'Bitten Sie den Betreiber um einen Link für ein anderes Passwort.',
    back: 'Zur Anmeldung',
  },
  proof: {
    title: 'Sind Sie es?',
    why: 'Geben Sie dafür das Passwort noch einmal ein.',
    whyKey: 'Geben Sie dafür den API-Schlüssel noch einmal ein.',
    wrong: 'Das Passwort ist falsch.',
    go: 'Weiter',
  },
  detail: germanDetail,
  actor: germanActor,
  states: {
    unserved: {
      word: 'unbeantwortet',
      meaning: 'Kein Nameserver antwortet für die Zone, deshalb ist der Name nirgends zu finden.',
      count: (count) => `${count} unbeantwortet`,
    },
    unproved: {
      word: 'nicht nachgewiesen',
      meaning:
        'Für die Zone wird geantwortet, sobald feststeht, dass sie Ihnen gehört. Wie, steht auf ihrer Seite.',
      count: (count) => `${count} nicht nachgewiesen`,
    },
    behind: {
      word: 'unterwegs',
      meaning: 'Die Änderung ist hier veröffentlicht, aber noch nicht bei jedem Nameserver.',
      count: (count) => `${count} unterwegs`,
    },
    no_address: {
      word: 'noch keine Adresse',
      meaning: 'Der Name führt noch nirgendwohin. Das erste Update seines Routers gibt ihm eine Adresse.',
      count: (count) => `${count} ohne Adresse`,
    },
    stuck: {
      word: 'nicht veröffentlichbar',
      meaning:
        'Die Einträge verletzen eine Regel des DNS, deshalb bleiben die letzten guten in Kraft. Berichtigen Sie sie.',
      count: (count) => `${count} nicht veröffentlichbar`,
    },
    blocked: {
      word: 'gesperrt',
      meaning: 'Der Betreiber hat den Namen gesperrt. Fragen Sie ihn.',
      count: (count) => `${count} gesperrt`,
    },
    pending: {
      word: 'wartet',
      meaning: 'Die letzte Änderung ist gespeichert und wird gleich veröffentlicht.',
      count: (count) => `${count} ${count === 1 ? 'wartet' : 'warten'}`,
    },
    offline: {
      word: 'offline',
      meaning: 'Der Name ist offline: er zeigt, was seine Offline-Einstellungen sagen.',
      count: (count) => `${count} offline`,
    },
    published: {
      word: 'veröffentlicht',
      meaning: 'Nameserver geben diese Einträge aus.',
      count: (count) => `${count} veröffentlicht`,
    },
  },
}
