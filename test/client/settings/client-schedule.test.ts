import { expect, it } from 'vitest'
import { scheduleOf } from '../../../src/client/settings/client-schedule.ts'
import type { ResolvedSettings } from '../../../src/client/settings/settings.ts'
import { instant, minutes } from '../../../src/shared/base/time.ts'

const settings = (config: Partial<ResolvedSettings['config']>) => ({ config }) as ResolvedSettings

it('without a schedule, the interval follows each check', async () => {
  const schedule = await scheduleOf(settings({ interval: minutes(5) }))
  expect(schedule.ok && schedule.value.nextAfter(instant(1000))).toBe(301_000)
})

it('a schedule that is no cron expression is named', async () =>
  expect(await scheduleOf(settings({ schedule: 'each day' }))).toMatchObject({
    ok: false,
    error: { exit: 'configuration', messages: [expect.stringMatching(/^schedule is not a cron expression/)] },
  }))
