import type { Caller } from '../../rules/access.ts'

/** For the one route without credentials. */
export const ANONYMOUS: Caller = {
  account: {
    id: 0,
    name: '',
    isWebsiteOnly: false,
    isSuspended: false,
    plan: {
      name: '',
      maxNames: 0,
      maxRdata: 0,
      maxKeys: 0,
      maxNameMetadata: 0,
      maxRRSetMetadata: 0,
      minTtl: 0,
      hasOffline: false,
      hasWildcards: false,
    },
  },
  isReadOnly: true,
}
