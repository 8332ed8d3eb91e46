import type { Secret } from '../../../shared/base/secret.ts'
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

/** Why a secret cannot be the token or key of this service, without it; undefined where it may be. */
export function secretProblem(secret: Secret, provider: string | undefined): string | undefined {
  const preset = provider === undefined ? undefined : providerCalled(provider)
  if (provider === undefined || preset === undefined) return undefined
  const [noun, text] = [secretNoun(preset), secret.reveal()]
  // A password may be any text.
  if (!/token|API/.test(noun)) return undefined
  const [other] = (OTHER_SECRETS[provider] ?? []).filter(([shape]) => shape.test(text.trim()))
  if (other !== undefined) return other[1]
  const [word = ''] = HEADER_WORD.exec(text) ?? []
  if (word !== '' && word.length < text.length)
    return `begins with a word of the request, ${word.trim()}; write the ${noun} alone`
  return /\s/.test(text) ? `has a blank, which no ${noun} has` : undefined
}
