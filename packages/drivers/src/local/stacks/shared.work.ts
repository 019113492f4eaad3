import type { Progress, Report } from '../../driver.ts'

/** Lets whoever wants the same thing at the same time wait for one and the same work, and hear of its progress. */
export function createSharedWork<T>() {
  const running = new Map<string, { done: Promise<T>; reports: Set<Report>; last: Progress | undefined }>()
  return async (key: string, report: Report, work: (report: Report) => Promise<T>): Promise<T> => {
    let current = running.get(key)
    if (current?.last) report(current.last)
    if (!current) {
      const begun = { reports: new Set<Report>([report]), last: undefined as Progress | undefined }
      const tell: Report = (progress) => {
        begun.last = progress
        for (const one of begun.reports) one(progress)
      }
      current = Object.assign(begun, { done: work(tell).finally(() => running.delete(key)) })
      running.set(key, current)
    }
    current.reports.add(report)
    try {
      return await current.done
    } finally {
      current.reports.delete(report)
    }
  }
}
