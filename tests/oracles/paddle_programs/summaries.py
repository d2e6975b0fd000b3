"""What a model consists of: tables of layers, and the models of images."""

import paddle, numpy as np
from paddle import nn
net=nn.Sequential(nn.Linear(4,8),nn.ReLU(),nn.Sequential(nn.Linear(8,2)),nn.BatchNorm1D(2))
print(paddle.summary(net,(1,4)))
class M(nn.Layer):
    def __init__(s): super().__init__(); s.a=nn.Linear(3,4,bias_attr=False); s.l=nn.LSTM(4,5)
    def forward(s,x,y): return s.l(s.a(x))[0].sum(-1)+y
m=M(); m.a.weight.stop_gradient=True
print(paddle.summary(m,[(2,3,3),(2,3)]))
class B(nn.Layer):
    def __init__(s): super().__init__(); s.c=nn.Conv2D(3,4,3); s.bn=nn.BatchNorm2D(4); s.p=s.create_parameter([4])
    def forward(s,x): return s.bn(s.c(x))*s.p.reshape([1,4,1,1])
class N(nn.Layer):
    def __init__(s): super().__init__(); s.b=B(); s.e=nn.Embedding(10,3); s.fc=nn.Linear(4,2)
    def forward(s,x): return s.fc(s.b(x).mean([2,3]))
print(paddle.summary(N(),(2,3,8,8)))
print(paddle.summary(nn.Linear(3,2),input=paddle.ones([5,3])))
print(paddle.vision.models.LeNet()); paddle.summary(paddle.vision.models.LeNet(),(1,1,28,28))
from paddle.static import InputSpec
print(InputSpec([None,784],'float32','x'), InputSpec.from_numpy(np.ones((2,3),'int64')))
for n in ('resnet18','resnet50','vgg11','mobilenet_v2'):
    k=getattr(paddle.vision.models,n)(num_classes=7); print(n, len(k.state_dict()), sum(p.size for p in k.parameters()), list(k.state_dict())[:3], list(k.state_dict())[-2:])
class Optional(nn.Layer):
    def __init__(s): super().__init__(); s.fc=nn.Linear(3,2)
    def forward(s,x,y=None,scale=2): return s.fc(x)*scale, None
class Outer(nn.Layer):
    def __init__(s): super().__init__(); s.o=Optional()
    def forward(s,x): return s.o(x,None,3)[0]
print(paddle.summary(Outer(),(2,3)))
print(paddle.vision.datasets.__all__)
