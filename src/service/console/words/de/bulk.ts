import type { EN_BULK } from '../en/bulk.ts'
import { plural } from '../plural.ts'

/** One change of several names. */
export const DE_BULK: typeof EN_BULK = {
  bulk: {
    title: 'Mehrere ändern',
    what: 'Mit den gewählten Namen',
    acts: {
      ttl: 'TTL setzen',
      address: 'Adresse ersetzen',
      key: 'an einen DDNS-Schlüssel binden',
      delete: 'löschen',
    },
    act: 'Was zu tun ist',
    value: 'TTL oder Adresse',
    key: 'DDNS-Schlüssel',
    review: 'Ansehen',
    noKey: 'Wählen Sie einen DDNS-Schlüssel.',
    ofValues: 'Dieser Schlüssel ändert einzelne Einträge und keine ganzen Namen. Wählen Sie einen anderen.',
    nothing: 'Es würde sich nichts ändern: alle sind schon so.',
    isOther:
      'Die Einträge haben sich inzwischen geändert. Es wurde nichts gespeichert; das würde sich jetzt ändern.',
    none: 'Wählen Sie zuerst Namen aus.',
    noTtl: 'Eine TTL ist eine ganze Zahl von Sekunden.',
    noAddress: 'Das ist weder eine IPv4- noch eine IPv6-Adresse.',
    tooMany: 'Das sind mehr als 500 Einträge; wählen Sie weniger Namen.',
    willChange: (count) => `Das ändert ${plural(count, 'Eintrag', 'Einträge')}`,
    attached: (count) => `Das bindet ${plural(count, 'Namen', 'Namen')}`,
    refused: 'Nicht getan',
    apply: 'Ausführen',
    remove: 'Diese Namen löschen',
    cancel: 'Alles lassen, wie es ist',
    done: 'Erledigt',
    changed: (count) => `${plural(count, 'Name ist', 'Namen sind')} geändert.`,
    undone: (count) => `${plural(count, 'Name ist', 'Namen sind')} wie vorher.`,
    undo: 'Zurücknehmen',
    undoWhat:
      'Zehn Minuten lang. Ein gelöschter Name kommt mit seinen Einträgen zurück, ohne seinen Schlüssel.',
    tooLate: 'Das ist länger als zehn Minuten her. Im Verlauf steht, was vorher da war.',
  },
}
