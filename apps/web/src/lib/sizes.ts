const units = ['B', 'kB', 'MB', 'GB', 'TB']

/** '512 B', '1.4 MB': a size as disks are sold. */
export function formatSize(bytes: number): string {
  const power = bytes < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log10(bytes) / 3))
  const value = bytes / 1000 ** power
  return `${power === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${units[power]}`
}

/** '12 %', '0.4 %': a share of a whole, the same everywhere. */
export const formatShare = (share: number): string => `${formatAmount(share * 100)} %`

/** '0.4', '1,932': a measured number, with one decimal where it is small. */
export const formatAmount = (value: number): string =>
  value.toLocaleString(undefined, { maximumFractionDigits: value < 10 ? 1 : 0 })
