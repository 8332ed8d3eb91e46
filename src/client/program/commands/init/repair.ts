import { complaintsIn, type FileComplaint } from '../../../setup/file-complaints.ts'
import { diffLines } from '../../../setup/diff.ts'
import { changedConfig } from '../../../setup/draft-files.ts'
import { textAt, writeNewFiles } from '../../../setup/new-files.ts'
import type { SetupPaths } from '../../../setup/paths.ts'
import { repairsOf, withTyped } from '../../../setup/repair.ts'
import { maskedConfiguration } from '../../../setup/shown.ts'
import { err, ok, type Result } from '../../../../shared/base/result.ts'
import { parseDocument } from '../../../../shared/settings/document.ts'
import { Cancelled, type Prompts } from './prompts.ts'

/** What became of a configuration that is there. */
export type RepairOutcome = 'no mistake' | 'mended' | 'not written'

/**
 * Goes through the mistakes of the configuration, one at a time. The error is for the user: what cannot be read, or mistakes
 * that stay and that a new account does not mend.
 */
export async function askForRepair(
  prompts: Prompts,
  paths: SetupPaths,
  isDryRun: boolean,
): Promise<Result<RepairOutcome, string>> {
  const there = await textAt(paths.config)
  if (!there.ok) return there
  const existing = there.value ?? ''
  if (existing.trim() === '') return ok('no mistake')
  const parsed = parseDocument(existing, paths.config)
  // What cannot be read is not written to.
  if (!parsed.ok)
    return err(`${paths.config}:${parsed.error.line}: ${parsed.error.problem}; nothing is changed`)
  const text = await mended(prompts, existing, paths.config)
  const [left] = (await complaintsIn(text)).filter(({ line }) => line !== undefined)
  const stays = left && `${paths.config}:${left.line}: ${left.problem}; correct this first`
  if (text === existing) return stays === undefined ? ok('no mistake') : err(stays)
  const diff = diffLines(maskedConfiguration(existing), maskedConfiguration(text))
  prompts.note('Changes', [
    `of ${paths.config}; the old one is saved with the ending .bak`,
    ...(diff.length > 0 ? diff : ['a secret is another one']),
  ])
  if (isDryRun) return ok('not written')
  if (!(await prompts.confirm('Write this?', true))) throw new Cancelled()
  const written = await writeNewFiles([changedConfig(text, paths, existing)])
  if (!written.ok) return written
  return stays === undefined ? ok('mended') : err(stays)
}

/** The text after what the person chose for each mistake. */
async function mended(prompts: Prompts, existing: string, path: string): Promise<string> {
  const left = new Set<string>()
  let text = existing
  for (;;) {
    const complaint = (await complaintsIn(text)).find((one) => !left.has(placeOf(one)))
    if (complaint === undefined) return text
    const { line, problem } = complaint
    const shown = line === undefined ? undefined : maskedConfiguration(text).split('\n')[line - 1]?.trim()
    prompts.note('The configuration has a mistake', [
      `${path}${line === undefined ? '' : `:${line}`}: ${problem}`,
      ...(shown === undefined ? [] : [shown]),
    ])
    const repairs = await repairsOf(text, complaint)
    // Another value is no help where the name is wrong.
    const isTyped = line !== undefined && !/is not a setting|belongs /.test(problem)
    const chosen = await prompts.choose({
      message: 'What should become of it?',
      choices: [
        ...repairs.map(({ id, label }) => ({ value: id, label })),
        ...(isTyped ? [{ value: TYPE, label: 'write another value' }] : []),
        { value: LEAVE, label: 'leave it as it is' },
      ],
    })
    if (chosen === LEAVE) left.add(placeOf(complaint))
    else if (chosen === TYPE) text = await typed(prompts, text, complaint)
    else text = repairs.find(({ id }) => id === chosen)?.text ?? text
  }
}

const [TYPE, LEAVE] = ['type', 'leave']
const placeOf = ({ line, problem }: FileComplaint): string => `${line}: ${problem}`

async function typed(prompts: Prompts, text: string, complaint: FileComplaint): Promise<string> {
  const question = {
    message: 'The value, without quotation marks; several with commas',
    check: (answer: string) => (answer.trim() === '' ? 'it is required' : undefined),
  }
  const isSecret = /password|api_key|webhook|health_url|url|headers|parameters|body/.test(complaint.problem)
  const answer = await (isSecret ? prompts.secret(question) : prompts.text(question))
  const changed = await withTyped(text, complaint, answer)
  if (changed === undefined) prompts.note('This value is not accepted', ['a start refuses it too'])
  return changed ?? text
}
