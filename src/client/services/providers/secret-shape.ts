import { err, ok, type Result } from '../../../shared/base/result.ts'
import { Secret } from '../../../shared/base/secret.ts'
import { providerCalled } from './providers.ts'
import { secretNoun } from './secret-noun.ts'

/** Words that documents show before a token, in the header that has it. */
const HEADER_WORD =
  /^(?:authorization: *|x-[\w-]*: *)?(?:(?:bearer|token|basic|sso-key|apikey|api-token)[ :]+)?/i

/** Shapes of another secret of the same service, which its protocol refuses. */
// biome-ignore format: a table
const OTHER_SECRETS: Readonly<Record<string, readonly (readonly [shape: RegExp, problem: string])[]>> = {
  cloudflare: [[/^[0-9a-f]{37}$/, 'is a global API key; make an API token instead (dash.cloudflare.com/profile/api-tokens)']],
}

/** A secret as it is pasted, and what was left out of it. */
export interface TypedSecret {
  readonly secret: Secret
  readonly notes: readonly string[]
}

const QUOTES = /^["'`\u201c\u201d\u2018\u2019]+|["'`\u201c\u201d\u2018\u2019]+$/g

/**
 * The token or key that a person pastes: without the header, the quotation marks and the blanks that documents and browsers
 * put around it. A password is taken as it is. The error is a predicate.
 */
export function readTypedSecret(typed: Secret, provider: string | undefined): Result<TypedSecret, string> {
  const line = typed.reveal().replace(/[\r\n]+$/, '')
  const bare = hasToken(provider) ? withoutWrapping(line) : line
  const secret = new Secret(bare)
  if (bare === '') return err('is empty')
  const problem = secretProblem(secret, provider)
  if (problem !== undefined) return err(problem)
  const notes = bare === line ? [] : ['only the token itself is taken, without what stands around it']
  return ok({ secret, notes })
}

const hasToken = (provider: string | undefined): boolean => {
  const preset = provider === undefined ? undefined : providerCalled(provider)
  return preset !== undefined && /token|API/.test(secretNoun(preset))
}

function withoutWrapping(text: string): string {
  const trimmed = text.trim().replaceAll(QUOTES, '')
  return trimmed.replace(HEADER_WORD, '').trim().replaceAll(QUOTES, '')
}

/** Why a secret cannot be the token or key of this service, without it; undefined where it may be. */
export function secretProblem(secret: Secret, provider: string | undefined): string | undefined {
  const preset = provider === undefined ? undefined : providerCalled(provider)
  if (provider === undefined || preset === undefined) return undefined
  const [noun, text] = [secretNoun(preset), secret.reveal()]
  // A password may be any text.
  if (!hasToken(provider)) return undefined
  const [other] = (OTHER_SECRETS[provider] ?? []).filter(([shape]) => shape.test(text.trim()))
  if (other !== undefined) return other[1]
  const [word = ''] = HEADER_WORD.exec(text) ?? []
  if (word !== '' && word.length < text.length)
    return `begins with a word of the request, ${word.trim()}; write the ${noun} alone`
  return /\s/.test(text) ? `has a blank, which no ${noun} has` : undefined
}
