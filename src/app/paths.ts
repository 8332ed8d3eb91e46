import { systemPaths } from '../platform/paths.ts'

export const isRoot = (): boolean => process.getuid?.() === 0

/** The folders of this user: configuration, state, runtime. */
export const paths = (): ReturnType<typeof systemPaths> => systemPaths(process.env, isRoot())
