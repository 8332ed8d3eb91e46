import about from '../../../package.json' with { type: 'json' }

export const ABOUT = { version: about.version } as const
