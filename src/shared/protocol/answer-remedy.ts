/** What to do about an answer without a reply word; `detail` describes the answer, with its HTTP status. */
export function remedyForAnswer(detail: string): string {
  if (detail.includes('(HTTP 429)'))
    return (
      'the service received more requests than it allows; the next attempt is automatic, ' +
      'and holdfast resume ends this wait'
    )
  if (/\(HTTP 4(04|05|10)\)/.test(detail))
    return 'check that server is the address of an update service; then run holdfast resume, which ends this wait'
  if (detail.includes('"'))
    return 'read the answer of the service, in quotes above; when the problem is solved, holdfast resume ends this wait'
  return 'check that server and its port are those of an update service; holdfast resume ends this wait'
}
