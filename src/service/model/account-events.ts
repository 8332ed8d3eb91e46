/**
 * Events of which the owner of an account is notified, in the console and by mail. `isOncePerDay`: others can cause the
 * event, so at most one mail of this kind is sent in 24 hours.
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
  // Counted per address over all accounts, because the address may belong to someone else.
  emailGiven:      { isOncePerDay: true },
} as const
export type AccountEventKind = keyof typeof ACCOUNT_EVENTS
