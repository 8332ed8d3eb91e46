import { plural } from '../plural.ts'

/** One change of several names. */
export const EN_BULK = {
  bulk: {
    title: 'Change several',
    what: 'With the names that are ticked',
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
    ofValues: 'This key updates single records, and no whole names. Choose another one.',
    nothing: 'Nothing would change: all of these are so already.',
    isOther: 'The records have changed meanwhile. Nothing was stored; this is what it would change now.',
    none: 'Tick some names first.',
    noTtl: 'A TTL is a whole number of seconds.',
    noAddress: 'This is no IPv4 and no IPv6 address.',
    tooMany: 'These are more than 500 records; tick fewer names.',
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
    tooLate: 'It was longer than ten minutes ago. The trail has what was there before.',
  },
}
