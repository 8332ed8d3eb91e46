import type { EN_LINKS } from '../en/links.ts'

/** What links are for that are used once. */
export const DE_LINKS: typeof EN_LINKS = {
  links: {
    code: 'Code des Links',
    codeHint: 'Was im Link nach # steht.',
    useless: 'Der Link wurde schon verwendet, oder er ist zu alt. Bitten Sie um einen anderen.',
    account: 'Name des Kontos',
    accountHint: 'Sie wählen ihn. Buchstaben, Ziffern und . _ - @.',
    taken: 'Diesen Namen gibt es schon.',
    whose: (host, zone) =>
      zone === undefined
        ? `Der Dienst ist ${host}.`
        : `Der Dienst ist ${host}; Ihre Namen liegen in ${zone}.`,
    weak: 'Ein Passwort hat mindestens 12 Zeichen, und keine unsichtbaren.',
    invitation: {
      title: 'Willkommen',
      what: 'Sie sind eingeladen, hier Namen zu haben',
      go: 'Konto anlegen',
    },
    reset: {
      title: 'Neues Passwort',
      what: 'Wählen Sie ein anderes Passwort für Ihr Konto',
      go: 'Passwort ändern',
    },
    confirm: {
      title: 'Ihre E-Mail-Adresse',
      what: 'Bestätigen Sie, dass Sie unter dieser Adresse Post lesen',
      go: 'Bestätigen',
    },
    open: {
      title: 'Konsole öffnen',
      what: 'Dieser Link meldet Sie einmal an',
      go: 'Öffnen',
    },
  },
}
