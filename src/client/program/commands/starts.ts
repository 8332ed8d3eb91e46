/** How the client can run after it is set up. */
export const STARTS = ['systemd', 'cron', 'openwrt', 'container', 'none'] as const
export type Start = (typeof STARTS)[number]
