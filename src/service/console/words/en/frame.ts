import { plural } from '../plural.ts'

/** What every page has, and signing in. */
export const EN_FRAME = {
  language: 'en',
  navigation: 'Places',
  places: {
    names: 'Names',
    zones: 'Zones',
    keys: 'Keys',
    trail: 'Trail',
    account: 'Account',
    operator: 'Operator',
  },
  toContent: 'To the content',
  signOut: 'Sign out',
  copy: 'Copy',
  copied: 'Copied',
  save: 'Save',
  saved: 'Saved',
  onlyButton: 'This is the answer to a form',
  onlyButtonWhy: 'It cannot be opened by its address. Go back to the page with the form.',
  more: (count: number) => `and ${count} more`,
  pages: 'Pages',
  firstPage: 'First page',
  nextPage: 'Next page',
  firstOf: (shown: number, total: number) => `The first ${shown} of ${total}.`,
  toNames: 'To the names',
  notDone: 'That did not work',
  notShown: 'This cannot be shown',
  noPage: 'There is no such page',
  noPageWhy: 'The address is wrong, or what it showed no longer exists.',
  failed: 'Something went wrong',
  failedWhy: 'Nothing was changed. Try again; if it happens again, tell the operator of this service.',
  away: 'One moment',
  awayWhy: 'The database of this service is unavailable. Nothing was changed. Try again in a few seconds.',
  unsent: {
    title: 'This was not sent yet',
    isOld:
      'The page was opened before you signed in, or gave your password again. What you entered is still here.',
    isSignedOut:
      'Your session has ended, and nothing was changed. What you entered is still here: ' +
      'sign in in a new tab, come back to this one, and send it.',
    isOthers: 'The page was opened for another account. Nothing was changed.',
    signIn: 'Sign in in a new tab',
    send: 'Send it now',
  },
  retryAfter: (seconds: number) =>
    seconds > 60
      ? `Too many failed attempts. Try again in ${plural(Math.ceil(seconds / 60), 'minute', 'minutes')}.`
      : `Try again in ${plural(seconds, 'second', 'seconds')}.`,
  /** By the titles that the API gives them; an error without an entry keeps its title, which is for programs too. */
  errors: {
    'conflicting target already exists in a group':
      'this name has a key already: use that one, or delete it first (Keys)',
  } as Readonly<Record<string, string>>,
  needed: 'This is required.',
  signIn: {
    title: 'Sign in',
    byPassword: 'With the account',
    account: 'Account',
    password: 'Password',
    byKey: 'With an API key',
    key: 'API key',
    keyHint: 'You may do what the key may do.',
    withKey: 'Sign in with the key',
    wrong: 'The account or the password is wrong.',
    wrongKey: 'This key is unknown or no longer valid.',
    wrongPasskey: 'This passkey is not known here.',
  },
  forgotten: {
    title: 'Forgot your password?',
    what: 'Get a link for a new password by mail',
    send: 'Send the link',
    sent: 'If there is such an account with an e-mail address, a link is on its way to it. It works for an hour.',
    ask: 'Ask the operator of this service for a link to set a new password.',
    back: 'To sign in',
  },
  proof: {
    title: 'Confirm that it is you',
    why: 'To continue, enter your password again.',
    whyKey: 'To continue, enter the API key again.',
    wrong: 'The password is wrong.',
    go: 'Continue',
  },
  /** The detail of an error in this language; undefined if there is none. */
  detail: (detail: string): string | undefined => detail,
  /** The actor of a trail entry. */
  actor: (actor: string): string => actor,
  states: {
    unserved: {
      word: 'not answered',
      meaning: 'No name server answers for the zone, so the name does not resolve.',
      count: (count: number) => `${count} not answered`,
    },
    unproved: {
      word: 'not proved',
      meaning: 'The zone is published after you prove that it is yours. Its page shows how.',
      count: (count: number) => `${count} not proved`,
    },
    behind: {
      word: 'on its way',
      meaning: 'The change is published, but not all name servers have it yet.',
      count: (count: number) => `${count} on the way`,
    },
    no_address: {
      word: 'no address yet',
      meaning: 'The name has no address yet. The first update from your router sets it.',
      count: (count: number) => `${count} without an address`,
    },
    stuck: {
      word: 'cannot be published',
      meaning:
        'The records break a rule of DNS, so the name servers keep the last good ones. Correct the records.',
      count: (count: number) => `${count} cannot be published`,
    },
    blocked: {
      word: 'blocked',
      meaning: 'The operator of this service has blocked the name. Ask the operator.',
      count: (count: number) => `${count} blocked`,
    },
    pending: {
      word: 'waiting',
      meaning: 'The last change is stored, and is published in a moment.',
      count: (count: number) => `${count} waiting`,
    },
    offline: {
      word: 'offline',
      meaning: 'The name is set offline: it shows what its offline settings say.',
      count: (count: number) => `${count} offline`,
    },
    published: {
      word: 'published',
      meaning: 'The name servers serve these records.',
      count: (count: number) => `${count} published`,
    },
  },
}
