import { type Html, html } from '../../../../shared/html/html.ts'
import { button, card, passkeyForm } from '../../parts.ts'
import type { Words } from '../../words/words.ts'

interface PasskeyView {
  readonly to: string
  /** What the browser needs; undefined: the person has no passkey. */
  readonly options: string | undefined
  /** What the field with the credential is called. */
  readonly field?: string
  readonly kept?: readonly Html[]
}

/** Using a passkey takes a script, so without one nothing is shown. */
export function passkeyCard(
  { passkeys: t }: Words,
  { to, options, field = 'credential', kept = [] }: PasskeyView,
): Html {
  if (options === undefined) return html``
  const content = [...kept, button(t.use, 'quiet')]
  return passkeyForm({ to, kind: 'get', options, field, failed: t.failed }, card(t.title, content))
}
