import { systemPaths } from '../platform/files/paths.ts'

export const isRoot = (): boolean => process.getuid?.() === 0

/** The configuration, state and runtime folders of the current user. */
export const paths = (): ReturnType<typeof systemPaths> => systemPaths(process.env, isRoot())
