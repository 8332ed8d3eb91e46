import { expect, it } from 'vitest'
import { steadyClock } from '../../../src/shared/platform/clock/clock.ts'
import { instant } from '../../../src/shared/base/time.ts'
import { printZone } from '../../../src/service/admin/zone-files.ts'
import { allNames } from '../../../src/service/api/zones/zone-file.ts'
import { memoryStore } from '../../../src/service/store/sqlite/store.ts'
import { fill } from '../../contract/store.ts'

const NOW = instant(0)
const NAMES = 10_050

it('a zone and an account are exported with all of their names, however many there are', async () => {
  const store = memoryStore(steadyClock)
  const { zoneId, accountId } = await fill(store)
  await store.write(async (w) => {
    for (let n = 0; n < NAMES; n++) {
      const name = await w.addName({ zoneId, accountId, name: `n${n}` }, NOW)
      await w.setSingleValue(name, { dnsType: 'A', value: '192.0.2.1' }, NOW)
    }
  })
  const exported = await store.read(async (r) => printZone(r, 'Example.test.', []))

  expect(exported.ok && exported.value.lines.filter((line) => line.endsWith(' IN A 192.0.2.1'))).toHaveLength(
    NAMES,
  )
  // With the one that the fixture has.
  expect(await store.read(async (r) => allNames(r, { accountId }))).toHaveLength(NAMES + 1)
  await store.close()
})
