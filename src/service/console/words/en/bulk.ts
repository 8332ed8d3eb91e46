import { plural } from '../plural.ts'

/** One change of several names. */
export const EN_BULK = {
  bulk: {
    title: 'Change several',
    what: 'With the selected names',
    acts: {
      ttl: 'set the TTL',
      address: 'replace the address',
      key: 'attach to a DDNS key',
      delete: 'delete them',
    },
    act: 'What to do',
    value: 'TTL or address',
    key: 'DDNS key',
    review: 'Review',
    noKey: 'Choose a DDNS key.',
    ofValues: 'This key updates single records, not whole names. Choose another one.',
    nothing: 'Nothing would change: all of these are already that way.',
    isOther: 'The records have changed meanwhile. Nothing was stored; this is what it would change now.',
    none: 'Select some names first.',
    noTtl: 'A TTL is a whole number of seconds.',
    noAddress: 'This is neither an IPv4 nor an IPv6 address.',
    tooMany: 'There are more than 500 records; select fewer names.',
    willChange: (count: number) => `This changes ${plural(count, 'record', 'records')}`,
    attached: (count: number) => `This attaches ${plural(count, 'name', 'names')}`,
    refused: 'Not done',
    apply: 'Do it',
    remove: 'Delete these names',
    cancel: 'Leave everything as it is',
    done: 'Done',
    changed: (count: number) => `${plural(count, 'name is', 'names are')} changed.`,
    undone: (count: number) => `${plural(count, 'name is', 'names are')} as before.`,
    undo: 'Undo',
    undoWhat:
      'You can undo this for ten minutes. A deleted name comes back with its records, and without its key.',
    tooLate: 'That was more than ten minutes ago. The trail shows what was there before.',
  },
}
