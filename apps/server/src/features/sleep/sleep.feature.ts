import { defineFeature } from '../../platform/features/feature.ts'
import { type Activity, createActivity } from './sleep.activity.ts'
import { createSleep, type Sleep } from './sleep.service.ts'

declare module '../../platform/features/services.ts' {
  interface Services {
    activity: Activity
    sleep: Sleep
  }
}

export const sleepFeature = defineFeature({
  name: 'sleep',
  provides: { activity: createActivity, sleep: createSleep },
  runs: {
    activity: ({ activity }) => activity,
    sleep: ({ sleep }) => ({ start: (isHost) => (isHost ? sleep.start() : undefined), stop: sleep.stop }),
  },
})
