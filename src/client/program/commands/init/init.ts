import type { Secret } from '../../../../shared/base/secret.ts'
import { readTypedSecret } from '../../../services/providers/secret-shape.ts'
import { readNamedPassword } from '../../../settings/account-files.ts'
import { firstLook } from './first-look.ts'
import { systemPorts } from '../../system.ts'
import { firstLookLines } from './account.ts'
import { setupPaths, type SetupPaths } from '../../../setup/paths.ts'
import { setupPlan } from '../../../setup/plan.ts'
import { removalPlan } from '../../../setup/removal.ts'
import type { ConfigDraft } from '../../../setup/draft.ts'
import type { SetupPlan } from '../../../setup/new-files.ts'
import { EXITS, type Exit } from '../../../../shared/program/exit-codes.ts'
import { writeError } from '../../../../shared/program/streams.ts'
import { err, ok, type Result } from '../../../../shared/base/result.ts'
import {
  draftOfAnswers,
  missingAnswers,
  type PublishedFamilies,
  type SetupAnswers,
} from '../../../setup/answers.ts'
import { clearTextRemarks } from '../../../setup/shown.ts'
import { parseServiceAddress } from '../../../settings/client-settings.ts'
import { formatLineSpec, parseLineSpec } from '../../../detect/line/line-spec.ts'
import { readTypedNames } from '../../../settings/name-checks.ts'
import { parseProvider } from '../../../services/providers/providers.ts'
import type { InitFlags } from '../flags.ts'
import { carryOut } from './carry-out.ts'
import { fail, print } from '../../../../shared/program/output.ts'
import { Cancelled } from './prompts.ts'
import { STARTS } from '../starts.ts'

/** `holdfast init`: writes a configuration from answers. Sends nothing but the first update, and that only if told to. */
export async function initCommand({ config, ...rest }: InitFlags): Promise<Exit> {
  const flags = { ...rest, config, output: rest.output ?? config }
  const given = await answersOf(flags)
  if (!given.ok) return fail({ exit: 'usage', messages: given.error }, flags.asJson)
  if (flags.output !== undefined && !flags.output.endsWith('.toml'))
    return fail(
      { exit: 'usage', messages: [`--output ${flags.output} must be a file that ends in .toml`] },
      flags.asJson,
    )
  const paths = await setupPaths(flags.output)
  if (flags.removed.length > 0) return withoutNames(flags, paths)
  const isAsking = process.stdin.isTTY && process.stdout.isTTY && !flags.isAgreed && !flags.asJson
  if (!isAsking) return withoutQuestions(given.value, paths, flags)
  const { askForSetup } = await import('./questions.ts')
  // At the end of the input a question waits for ever, and nothing else holds the process.
  const atEnd = (): void => {
    writeError('holdfast: nothing is written\n')
    process.exitCode = EXITS.cancelled.code
  }
  process.once('exit', atEnd)
  try {
    return await askForSetup(given.value, paths, flags)
  } catch (error) {
    if (!(error instanceof Cancelled)) throw error
    writeError('holdfast: nothing is written\n')
    return 'cancelled'
  } finally {
    process.off('exit', atEnd)
  }
}

/** The answers that the flags give; the error lists every wrong one. */
async function answersOf(flags: InitFlags): Promise<Result<SetupAnswers, readonly string[]>> {
  const wrong: string[] = []
  const checked = <T>(flag: string, read: Result<T, string>): T | undefined => {
    if (read.ok) return read.value
    wrong.push(`--${flag} ${read.error}`)
    return undefined
  }
  const oneOf = (flag: string, value: string | undefined, values: readonly string[]): void => {
    if (value !== undefined && !values.includes(value))
      wrong.push(`--${flag} ${value} is not one of ${values.join(', ')}`)
  }
  oneOf('publish', flags.publish, ['both', 'ipv4', 'ipv6'])
  oneOf('start', flags.start, STARTS)
  const address =
    flags.server === undefined ? undefined : checked('server', parseServiceAddress(flags.server))
  const provider =
    flags.provider === undefined ? address?.provider : checked('provider', parseProvider(flags.provider))
  const typed = readTypedNames(flags.hostnames.join(','), { provider, username: flags.username })
  if (flags.hostnames.length > 0 && !typed.ok) wrong.push(`--hostname: ${typed.error}`)
  const interfaces = flags.interfaces
    .flatMap((one) => one.split(','))
    .flatMap((one) => checked('interface', parseLineSpec(one.trim())) ?? [])
    .map(formatLineSpec)
  const secretIn = async (flag: string, file: string | undefined): Promise<Secret | undefined> =>
    file === undefined
      ? undefined
      : checked(flag, await readNamedPassword(file, { mayHaveLines: provider === 'rfc2136' }))
  const password = await secretIn('password-file', flags.passwordFile)
  const secret = password && readTypedSecret(password, provider)
  if (secret?.ok === false) wrong.push(`--password-file ${flags.passwordFile}: the password ${secret.error}`)
  const apiKey = await secretIn('api-key-file', flags.apiKeyFile)
  for (const note of [
    ...(typed.ok ? typed.value.notes : []),
    ...(secret?.ok === true ? secret.value.notes : []),
  ])
    if (wrong.length === 0) writeError(`holdfast: ${note}\n`)
  return wrong.length > 0
    ? err(wrong)
    : ok({
        provider,
        server: address?.server,
        path: address?.path,
        username: flags.username,
        password: secret?.ok === true ? secret.value.secret : undefined,
        apiKey,
        record: flags.record,
        hostnames: typed.ok ? typed.value.names : [],
        interfaces,
        families: flags.publish as PublishedFamilies | undefined,
        contact: flags.contact,
      })
}

async function withoutQuestions(answers: SetupAnswers, paths: SetupPaths, flags: InitFlags): Promise<Exit> {
  const missing = missingAnswers(answers)
  if (missing.length > 0)
    return fail(
      { exit: 'usage', messages: missing.map(({ flag, what }) => `${flag} is missing: ${what}`) },
      flags.asJson,
    )
  if (flags.isLooking === true && !flags.asJson) print(...(await addressLines()))
  const draft = draftOfAnswers(answers)
  return finish(await setupPlan(draft, paths), draft, flags)
}

async function withoutNames(flags: InitFlags, paths: SetupPaths): Promise<Exit> {
  const typed = readTypedNames(flags.removed.join(','), {})
  if (!typed.ok) return fail({ exit: 'usage', messages: [`--remove: ${typed.error}`] }, flags.asJson)
  if (flags.provider !== undefined || flags.server !== undefined || flags.hostnames.length > 0)
    return fail(
      { exit: 'usage', messages: ['--remove changes an account that is there; leave out its settings'] },
      flags.asJson,
    )
  return finish(await removalPlan(typed.value.names, paths), { settings: {}, accounts: [] }, flags)
}

async function finish(plan: Result<SetupPlan, string>, draft: ConfigDraft, flags: InitFlags): Promise<Exit> {
  if (!plan.ok) return fail({ exit: 'configuration', messages: [plan.error] }, flags.asJson)
  const { config, diff } = plan.value
  if (diff.length > 0 && !flags.isAgreed && !flags.isDryRun)
    return fail(
      {
        exit: 'configuration',
        messages: [
          `${config} exists; --yes changes it as follows and saves the old one as ${config}.bak:`,
          ...diff,
        ],
      },
      flags.asJson,
    )
  const start = STARTS.find((one) => one === flags.start) ?? 'none'
  for (const remark of clearTextRemarks(draft.accounts.map(({ settings }) => settings)))
    writeError(`holdfast: ${remark}\n`)
  const isChanged = plan.value.files.some(({ path }) => path === config)
  if (diff.length > 0 && !flags.isDryRun && !flags.asJson)
    print(isChanged ? `changes to ${config} (the old one is saved as ${config}.bak):` : 'changes:', ...diff)
  const { isSending, isLooking } = flags
  const decision = {
    draft,
    isSending,
    isReading: isLooking === true,
    start: async () => Promise.resolve(start),
  }
  return carryOut(plan.value, decision, flags)
}

/** What this host's addresses are, a line each. */
const addressLines = async (): Promise<readonly string[]> => firstLookLines(await firstLook(systemPorts()))
