/* made_up_gpu.h - how tests steer the made-up GPU. SPDX-License-Identifier: BSD-3-Clause */
#ifndef GPUMM_TESTS_MADE_UP_GPU_H
#define GPUMM_TESTS_MADE_UP_GPU_H

#include "device/device.h"

typedef struct {
  int devices;               /* that there are */
  int is_lost;               /* the device does not answer */
  const char *missing;       /* why the library of "cublas" is missing; NULL: it is there */
  int allocations, launches; /* so far */
  int asked;                 /* for properties, with the free memory */
  unsigned failing;          /* bits of the devices whose launches fail */
  int failing_launch;        /* the launch of this number has no memory; 0: none */
  int held, strays;          /* allocations now; uses of a device's memory on another */
  double (*clock) (void);    /* seconds, for events */
} made_up;

extern GPUMM_API made_up made_up_gpu;

#endif
