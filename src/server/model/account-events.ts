/**
 * What happens to an account, for its person: at the console, and by mail. `isOncePerDay`: strangers can cause it, so one
 * mail of the kind is sent in 24 hours.
 */
// biome-ignore format: a table
export const ACCOUNT_EVENTS = {
  passwordChanged: { isOncePerDay: false },
  emailChanged:    { isOncePerDay: false },
  factorAdded:     { isOncePerDay: false },
  factorRemoved:   { isOncePerDay: false },
  apiKeyAdded:     { isOncePerDay: false },
  tsigKeyAdded:    { isOncePerDay: false },
  suspended:       { isOncePerDay: false },
  keyBlocked:      { isOncePerDay: true },
  wrongPasswords:  { isOncePerDay: true },
  signedIn:        { isOncePerDay: true },
  // To an address that may be that of someone else: of all accounts together, and with a link.
  emailGiven:      { isOncePerDay: true },
} as const
export type AccountEventKind = keyof typeof ACCOUNT_EVENTS
