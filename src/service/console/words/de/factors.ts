import type { EN_FACTORS } from '../en/factors.ts'
import { plural } from '../plural.ts'

/** Second factors. */
export const DE_FACTORS: typeof EN_FACTORS = {
  factor: {
    title: 'Zweiter Faktor',
    what: 'Ihr Passwort stimmt. Jetzt der Code Ihrer Authenticator-App',
    code: 'Code',
    codeHint: 'Sechs Ziffern, oder einer Ihrer Wiederherstellungscodes.',
    wrong: 'Der Code ist falsch oder wurde schon verwendet.',
  },
  passkeys: {
    title: 'Mit einem Passkey',
    use: 'Passkey verwenden',
    failed: 'Der Browser hat keinen Passkey verwendet. Versuchen Sie es noch einmal, oder anders.',
    one: 'Passkey',
    add: 'Passkey hinzufügen',
    make: 'Passkey anlegen',
    what: 'Ihr Telefon, Ihr Computer oder ein Sicherheitsschlüssel meldet Sie hier an, ohne Passwort',
    noScript: 'Das braucht einen Browser mit JavaScript und Passkeys.',
  },
  factors: {
    title: 'Zweiter Faktor',
    what: 'Mit Passkey oder App genügt Ihr Passwort allein nicht mehr; Router brauchen dann einen DDNS-Schlüssel.',
    must: 'Ihr Plan braucht einen zweiten Faktor: fügen Sie einen hinzu, dann steht Ihnen alles offen.',
    isOn: 'Das Passwort allein genügt hier nicht mehr. Programme brauchen API-Schlüssel, Router einen DDNS-Schlüssel.',
    toKeys: 'DDNS-Schlüssel anlegen',
    app: 'Authenticator-App',
    works: 'aktiv',
    unconfirmed: 'nicht bestätigt, nicht verwendet',
    description: 'Name des Geräts',
    descriptionHint: 'Etwa: mein Telefon.',
    add: 'Authenticator-App hinzufügen',
    scan: 'Lesen Sie dies mit der App ein, oder geben Sie das Geheimnis ein',
    picture: 'Das Geheimnis als Bild für die App',
    secret: 'Geheimnis',
    firstCode: 'Code',
    firstCodeHint: 'Die sechs Ziffern, die die App jetzt zeigt. Von da an wird nach ihnen gefragt.',
    confirm: 'Bestätigen',
    codes: 'Wiederherstellungscodes',
    codesOnce:
      'Heben Sie diese auf Papier auf. Jeder gilt einmal, wenn das Telefon weg ist. Sie werden nur jetzt gezeigt',
    codesLeft: (count) =>
      `${plural(count, 'Wiederherstellungscode ist', 'Wiederherstellungscodes sind')} übrig.`,
    newCodes: 'Neue Wiederherstellungscodes',
    toAccount: 'Zum Konto',
  },
}
