delta
:Entity_01	type	PER
:Entity_01	mention	"Ilva Marn"	kb-01:0-8	1.0
:Entity_01	canonical_mention	"Ilva Marn"	kb-01:0-8	1.0
:Entity_01	mention	"Marn"	kb-01:59-62	1.0
:Entity_01	mention	"Ilva Marn"	kb-04:71-79	1.0
:Entity_01	canonical_mention	"Ilva Marn"	kb-04:71-79	1.0
:Entity_01	mention	"Ilva Marn"	kb-10:0-8	1.0
:Entity_01	canonical_mention	"Ilva Marn"	kb-10:0-8	1.0
:Entity_01	mention	"Marn"	kb-10:132-135	1.0
:Entity_02	type	ORG
:Entity_02	mention	"Velmar Works"	kb-01:18-29	1.0
:Entity_02	canonical_mention	"Velmar Works"	kb-01:18-29	1.0
:Entity_02	mention	"Velmar"	kb-01:93-98	1.0
:Entity_02	mention	"Velmar Works"	kb-02:24-35	1.0
:Entity_02	canonical_mention	"Velmar Works"	kb-02:24-35	1.0
:Entity_02	mention	"Velmar Works"	kb-02:138-149	1.0
:Entity_02	mention	"Velmar Works"	kb-08:134-145	1.0
:Entity_02	canonical_mention	"Velmar Works"	kb-08:134-145	1.0
:Entity_02	mention	"Velmar Works"	kb-10:15-26	1.0
:Entity_02	canonical_mention	"Velmar Works"	kb-10:15-26	1.0
:Entity_03	type	GPE
:Entity_03	mention	"Tarnholt"	kb-01:34-41	1.0
:Entity_03	canonical_mention	"Tarnholt"	kb-01:34-41	1.0
:Entity_03	mention	"Tarnholt"	kb-01:79-86	1.0
:Entity_03	nominal_mention	"town"	kb-01:130-133	1.0
:Entity_03	mention	"Tarnholt"	kb-08:48-55	1.0
:Entity_03	canonical_mention	"Tarnholt"	kb-08:48-55	1.0
:Entity_04	type	ORG
:Entity_04	mention	"Kestel Group"	kb-02:0-11	1.0
