/** The pages that belong to no one, or to everyone who is signed in. */
export const ROOT = '/console'
export const HOME = `${ROOT}/names`
export const ACCOUNT_PAGE = `${ROOT}/account`
export const SIGN_IN = `${ROOT}/sign-in`
export const FORGOTTEN = `${ROOT}/forgotten`
export const SECOND_FACTOR = `${ROOT}/second-factor`
export const SIGN_OUT = `${ROOT}/sign-out`

/** Only a page of the console that can be opened: a link must not lead elsewhere. */
export const ownPage = (path: string | null): string =>
  path !== null &&
  !/\.\.|%2e|^\/console\/(sign-|second-factor)/i.test(path) &&
  /^\/console\/[\w/.%?=&@+~*!'()-]*$/.test(path)
    ? path
    : HOME

/** A page that leads on to another when it is done. */
export const withBack = (path: string, back: string): string =>
  back === HOME ? path : `${path}?back=${encodeURIComponent(back)}`
