import about from '../../package.json' with { type: 'json' }

/** Name, version and contact, as the package says. */
export const ABOUT = { version: about.version, contact: about.author.email } as const
