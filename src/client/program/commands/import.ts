import { draftFiles } from '../../setup/draft-files.ts'
import { fileComplaints } from '../../setup/file-complaints.ts'
import { importContext, importSource } from '../../setup/import-source.ts'
import { writeNewFiles } from '../../setup/new-files.ts'
import { giveToRoot } from '../../setup/root-folder.ts'
import { setupPaths } from '../../setup/paths.ts'
import type { Exit } from '../../../shared/program/exit-codes.ts'
import { ok } from '../../../shared/base/result.ts'
import { writeError } from '../../../shared/program/streams.ts'
import { FORMATS, type Format } from '../../setup/migration/formats.ts'
import { FORMAT_ROWS, formatOf, readImport } from '../../setup/migration/import.ts'
import type { Remark } from '../../setup/migration/imported.ts'
import { type MergedImport, mergeImport } from '../../setup/migration/merge/merge.ts'
import type { ImportFlags } from './flags.ts'
import { exitResult, fail, print, printJson, tryToPrint } from '../../../shared/program/output.ts'

/** Where a file is there already. */
const ELSEWHERE =
  '; write another file with --output FILE.toml, or add an account to the first one with holdfast init'

const formatRemark = ({ kind, place, text }: Remark): string =>
  `${place.file}:${place.line}: ${kind}: ${text}`

/** `holdfast import`: prints, or writes, the configuration for what a file of another client sets. Asks no service. */
export async function importCommand(flags: ImportFlags): Promise<Exit> {
  const { asJson, file, format: named, config } = flags
  const output = flags.output ?? config
  if (output !== undefined && !output.endsWith('.toml'))
    return fail({ exit: 'usage', messages: [`--output ${output} must be a file that ends in .toml`] }, asJson)
  const format = FORMATS.find((one) => one === named)
  if (named !== undefined && format === undefined)
    return fail({ exit: 'usage', messages: [`--from ${named} is not one of ${FORMATS.join(', ')}`] }, asJson)
  if (flags.url !== undefined && file !== undefined)
    return fail({ exit: 'usage', messages: ['--url and a file are both given; keep one'] }, asJson)
  const source = flags.url === undefined ? await importSource(file) : ok({ name: '--url', text: flags.url })
  if (!source.ok) return fail(source.error, asJson)
  const { name, text } = source.value
  const chosen = flags.url === undefined ? (format ?? formatOf(text, name)) : 'url'
  const context = importContext(name)
  const read = readImport(text, chosen, context)
  if (!read.ok) return fail({ exit: 'partial', messages: [`${name} ${read.error}`] }, asJson)
  return finish(mergeImport(read.value, context), read.value.format, { ...flags, output })
}

async function finish(
  { draft, remarks }: MergedImport,
  format: Format,
  { asJson, isWriting, isPartial, output }: ImportFlags,
): Promise<Exit> {
  const paths = await setupPaths(output)
  const { text, files } = draftFiles(draft, paths)
  const isEmpty = draft.accounts.length === 0
  const complaints = isEmpty ? [] : await fileComplaints(text)
  const isMissing = draft.accounts.some(({ comments }) => comments.length > 0)
  const isComplete =
    !isEmpty && !isMissing && complaints.length === 0 && remarks.every(({ kind }) => kind !== 'not taken')
  const exit: Exit = isComplete || (isPartial && !isEmpty) ? 'settled' : 'partial'
  const advice = isEmpty
    ? ['nothing can be taken over; no file is written']
    : [
        ...complaints.map((problem) => `the configuration is not complete: ${problem}`),
        remarks.some(({ kind }) => kind === 'not taken')
          ? 'before Holdfast runs, remove what it does now from the file of the other client, or both send ' +
            'updates; keep using the other client for the rest'
          : `stop the other client before Holdfast runs, or both send updates: ${FORMAT_ROWS[format].stop}`,
      ]
  if (isWriting && !isEmpty) {
    for (const line of await giveToRoot()) writeError(`holdfast: ${line}\n`)
    const written = await writeNewFiles(files)
    if (!written.ok)
      return fail({ exit: 'configuration', messages: [`${written.error}${ELSEWHERE}`] }, asJson)
  }
  const written = isWriting && !isEmpty ? files.map(({ path }) => path) : []
  if (asJson)
    printJson({ exit: exitResult(exit), from: format, toml: isEmpty ? '' : text, written, remarks, advice })
  for (const line of [...remarks.map(formatRemark), ...advice]) writeError(`holdfast: ${line}\n`)
  if (asJson || isEmpty) return exit
  if (isWriting) {
    const config = output === undefined ? '' : ` --config ${output}`
    print(
      ...written.map((path) => `wrote ${path}`),
      `next: holdfast config check${config}; holdfast update${config} --dry-run`,
    )
    return exit
  }
  // It may go into a file: half a configuration must not look like a whole one.
  const problem = await tryToPrint(text.trimEnd())
  if (problem !== undefined) return 'unwritten'
  return exit
}
