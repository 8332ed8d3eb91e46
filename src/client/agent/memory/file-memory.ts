import { between, type Duration, type Instant, minutes } from '../../../shared/base/time.ts'
import { NEW_STATE, type State } from '../../decide/state.ts'
import type { Anchor } from './client-time.ts'
import { formatState } from './codec.ts'
import type { Memory } from './memory.ts'
import {
  readLatest,
  removeFiles,
  type StateFilesContext,
  trustedFolders,
  writeToFirst,
} from './state-files.ts'
import { secondFiles, readLastSave } from './last-save.ts'

interface LastSave {
  /** Undefined where the next save must write. */
  readonly content: string | undefined
  /** Undefined where no folder was writable. */
  readonly folder: string | undefined
}

/**
 * One file in the state folder, written only when its content changed. While the configured folder is not writable, the
 * first writable fallback folder holds it; the file that was written last is the valid one.
 */
export function fileMemory(folders: readonly string[], context: StateFilesContext): Memory {
  const { files, time, report, isOnRequest = false, lastSaves = [] } = context
  const [configured = '', ...fallbacks] = folders
  let last: LastSave = { content: undefined, folder: configured }
  const second = secondFiles(files, lastSaves)
  const known = knownFolder(configured, report)
  const contentOf = contentMaker()
  const latestIn = async (some: readonly string[]) => readLatest(await trustedFolders(some, files), context)

  const save = async (state: State): Promise<undefined> => {
    const anchor = time.anchor()
    const content = contentOf(state, anchor)
    const isUnchanged = content === last.content && last.folder !== undefined
    if (isUnchanged && last.folder === configured) return undefined
    // An unchanged state in a fallback folder moves to the configured folder as soon as that is writable.
    const isFixed = isUnchanged || (isOnRequest && last.folder === configured)
    const targets = isFixed ? [configured] : folders
    const { folder, because } = await writeToFirst(targets, formatState(state, anchor), files)
    if (isUnchanged && folder === undefined) {
      // Another process has moved it there.
      known.tell(last.folder, because)
      return undefined
    }
    known.tell(folder, because)
    // Another process could take a file left in a fallback folder for the newer one.
    if (folder === configured && folder !== last.folder)
      await removeFiles((await trustedFolders(folders, files)).slice(1), files)
    last = { content: folder === undefined ? last.content : content, folder }
    if (folder !== undefined) await second.saved(folder, anchor.at)
    return undefined
  }

  return {
    folders,
    jot: (state) => second.jot(last.folder ?? configured, formatState(state, time.anchor())),
    isSaved: () => last.folder !== undefined,
    async load() {
      const seen = isOnRequest ? undefined : await readLastSave(lastSaves, files)
      const latest = await latestIn(folders)
      const lost = lossOf(latest?.file.anchor?.at, seen)
      if (lost !== undefined) report({ kind: 'stateOutdated', folder: configured, ...lost })
      if (latest === undefined) return NEW_STATE
      const { file, folder, isSalvaged, isJotted: mustSave = false } = latest
      if (mustSave) second.found()
      time.resume(file.anchor)
      const content = contentOf(file.state, file.anchor ?? time.anchor())
      last = { content: isSalvaged || mustSave ? undefined : content, folder }
      // A command on request changes the state where it is.
      if (isOnRequest) known.set(folder)
      // Without a file, the next process would know of no stop.
      if (isSalvaged && !isOnRequest) await save(file.state)
      return file.state
    },
    save,
    async reread() {
      const { content, folder } = last
      last = { content: undefined, folder }
      const latest = await latestIn([configured, ...fallbacks.filter((one) => one === folder)])
      // This process remembers more than a damaged file.
      if (latest === undefined || latest.isSalvaged) return undefined
      const { state, anchor } = latest.file
      return contentOf(state, anchor ?? time.anchor()) === content ? undefined : state
    },
  }
}

/** The folder that the user knows of; undefined where none was writable. */
function knownFolder(configured: string, report: StateFilesContext['report']) {
  let told: string | undefined = configured
  return {
    set: (folder: string): void => void (told = folder),
    tell(folder: string | undefined, because: string): void {
      if (folder === told) return
      if (folder === undefined) report({ kind: 'stateNotSaved', because })
      else if (folder === configured || told === undefined) report({ kind: 'stateSavedAgain', folder })
      if (folder !== undefined && folder !== configured)
        report({ kind: 'stateSavedElsewhere', folder: configured, instead: folder, because })
      told = folder
    },
  }
}

/** Undefined where the state is the one that was saved last. */
const lossOf = (
  at: Instant | undefined,
  saved: Instant | undefined,
): { readonly saved: Instant; readonly isMissing: boolean } | undefined =>
  saved === undefined || (at !== undefined && at >= saved)
    ? undefined
    : { saved, isMissing: at === undefined }

/**
 * Equal for two files where the second need not be written: the same state, and a wall clock that was not set between
 * them. Each minute and after each look it is mostly the same object: its text is made once.
 */
function contentMaker(): (state: State, anchor: Anchor) => string {
  let last: { readonly state: State; readonly text: string } | undefined
  return (state, anchor) => {
    if (last?.state !== state) last = { state, text: JSON.stringify(state) }
    return `${clockOffset(anchor)} ${last.text}`
  }
}

/** How far the wall clock is from client time, in whole quarters of an hour, so that drift causes no write. */
const clockOffset = ({ at, wall }: Anchor): number => Math.round(between(at, wall) / QUARTER)
const QUARTER: Duration = minutes(15)
