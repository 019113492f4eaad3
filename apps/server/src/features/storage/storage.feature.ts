import { defineFeature } from '../../platform/features/feature.ts'
import { sealedInStorage } from './storage.sealed.ts'

export const storageFeature = defineFeature({
  name: 'storage',
  shares: ['instance_storage'],
  sealed: sealedInStorage,
})
