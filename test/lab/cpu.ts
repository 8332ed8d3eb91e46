/** What an act costs this process, in milliseconds of CPU time: a busy machine takes longer, and does not work more. */
export function cpuOf(act: () => void): number {
  const before = process.cpuUsage()
  act()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}
