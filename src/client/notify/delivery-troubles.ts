import { formatInstant, instant } from '../../shared/base/time.ts'
import type { Trouble } from '../report/troubles.ts'
import type { FailingTarget } from './memory.ts'

/** Failed deliveries, as status, doctor and the page show them. */
export const deliveryTroubles = (failing: readonly FailingTarget[]): readonly Trouble[] =>
  failing.map(({ target, because, since }) => ({
    kind: 'delivery',
    text: `notifications to ${target} fail: ${because}`,
    remedy: 'correct the setting or its receiver, and reload Holdfast; holdfast notify --test sends a test',
    since: formatInstant(instant(since)),
  }))
