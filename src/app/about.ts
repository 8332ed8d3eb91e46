import about from '../../package.json' with { type: 'json' }

/** The version, as the package says. */
export const ABOUT = { version: about.version } as const
