import about from '../../../package.json' with { type: 'json' }

export const ABOUT = { version: about.version } as const

/** What users type: a package of the service has a command of its own, which says so. */
export const programName = (): string => process.env['HOLDFAST_PROGRAM'] ?? 'holdfast'
