import { CLICK_SIZES, clicks } from './console-clicks.ts'
import { LIST_SIZES, lists } from './console-lists.ts'
import { SESSION_SIZES, sessions } from './console-sessions.ts'
import { found } from './commands.ts'
import type { Bench } from './report.ts'

/** What the console costs those who do not use it, and those who do. */
export const consoleBench: Bench = {
  name: 'console',
  async run(context) {
    const [click, list, session] = [
      CLICK_SIZES[context.size],
      LIST_SIZES[context.size],
      SESSION_SIZES[context.size],
    ]
    const hasWrk = found('wrk') !== undefined
    return {
      title: 'The console',
      how:
        `Updates: wrk with 32 connections on one core, the service on the other; ${click.names} names of one account; ${click.rounds} ` +
        `rounds of ${click.seconds} s with and without ${click.people} people who open a page every 3 s, in turns. The ratio is relative ` +
        `to the rate without them. Sessions: the memory of the service after ${session.sessions} sessions more that open six pages each, ` +
        'less that before, when one session had opened as many pages. Lists: the page of 100 names, in milliseconds until its end; the ' +
        `ratio is relative to the request to /v1 for the same names, in the same run. Medians of ${list.rounds} rounds.`,
      figures: [
        ...(hasWrk ? await clicks(context) : []),
        ...(await sessions(context)),
        ...(await lists(context)),
      ],
      notes: hasWrk ? [] : ['wrk is not installed: updates are not measured'],
    }
  },
}
